//===- SlcCallback.cpp - Callbacks: the code of the core ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SlcChecks.h"

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::slc;

LogicalResult ember::slc::verifyExecuteTypes(Operation *op, TypeRange types,
                                             StringRef what) {
  for (Type type : types)
    if (isAccessType(type))
      return op->emitOpError()
             << what << " are execute values, but one is of type " << type;
  return success();
}

LogicalResult ember::slc::verifyYield(Operation *op, Region &region,
                                      TypeRange types) {
  Operation *yield = region.front().getTerminator();
  if (yield->getOperandTypes() == types)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("has results of type (")
                                  << types << ") but yields ("
                                  << yield->getOperandTypes() << ")";
  diagnostic.attachNote(yield->getLoc()) << "the yield is here";
  return diagnostic;
}

void ember::slc::printResults(OpAsmPrinter &printer, TypeRange types) {
  if (types.empty())
    return;
  printer << " -> (" << types << ")";
}

Type ember::slc::getCallbackArgumentType(Type type) {
  if (auto chunk = dyn_cast<ChunkType>(type))
    return chunk.getMemRefType();
  return cast<StreamType>(type).getElementType();
}

/// The operand type that reaches a callback as `type`, or null.
static Type getCallbackOperandType(OpAsmParser &parser, SMLoc loc, Type type) {
  auto emitError = [&] { return parser.emitError(loc); };
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return StreamType::getChecked(emitError, parser.getContext(), type);
  if (memref.getRank() != 1 || !memref.hasStaticShape() ||
      !isa_and_nonnull<QueueSpaceAttr>(memref.getMemorySpace())) {
    emitError() << "a chunk arrives as memref<NxT, #slc.queue>, not " << type;
    return {};
  }
  return ChunkType::getChecked(emitError, parser.getContext(),
                               memref.getDimSize(0), memref.getElementType());
}

void CallbackOp::build(OpBuilder &builder, OperationState &state,
                       TypeRange results, ValueRange operands,
                       ArrayRef<QueueKind> queues) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(operands);
  state.addTypes(results);
  if (!queues.empty()) {
    SmallVector<Attribute> kinds;
    for (QueueKind kind : queues)
      kinds.push_back(QueueKindAttr::get(builder.getContext(), kind));
    state.getOrAddProperties<Properties>().queues = builder.getArrayAttr(kinds);
  }
  Region *body = state.addRegion();
  Block *block = builder.createBlock(body);
  for (Value operand : operands)
    block->addArgument(getCallbackArgumentType(operand.getType()),
                       operand.getLoc());
  if (results.empty())
    CallbackOp::ensureTerminator(*body, builder, state.location);
}

QueueKind CallbackOp::getQueue(unsigned index) {
  if (ArrayAttr queues = getQueuesAttr())
    return cast<QueueKindAttr>(queues[index]).getValue();
  return QueueKind::Data;
}

void CallbackOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, isa<MemRefType>(argument.getType()) ? "row" : "v");
}

ParseResult CallbackOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseOperand = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.parseColon())
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseType(argument.type))
      return failure();
    Type type = getCallbackOperandType(parser, loc, argument.type);
    return failure(!type ||
                   parser.resolveOperand(operand, type, state.operands));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalParen,
                                     parseOperand))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("queues"))) {
    SmallVector<Attribute> kinds;
    auto parseKind = [&]() -> ParseResult {
      StringRef keyword;
      SMLoc loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&keyword))
        return failure();
      std::optional<QueueKind> kind = symbolizeQueueKind(keyword);
      if (!kind)
        return parser.emitError(loc, "expected data, scalar or core");
      kinds.push_back(QueueKindAttr::get(parser.getContext(), *kind));
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       parseKind))
      return failure();
    state.addAttribute("queues", parser.getBuilder().getArrayAttr(kinds));
  }
  if (parser.parseOptionalArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  CallbackOp::ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void CallbackOp::print(OpAsmPrinter &printer) {
  if (!getOperands().empty()) {
    printer << '(';
    llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperands()),
                          printer, [&](auto pair) {
                            auto [argument, operand] = pair;
                            printer << argument << " = " << operand << " : "
                                    << argument.getType();
                          });
    printer << ')';
  }
  if (ArrayAttr queues = getQueuesAttr()) {
    printer << " queues [";
    llvm::interleaveComma(queues.getAsRange<QueueKindAttr>(), printer,
                          [&](QueueKindAttr kind) {
                            printer << stringifyQueueKind(kind.getValue());
                          });
    printer << ']';
  }
  printResults(printer, getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"queues"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
}

LogicalResult CallbackOp::verify() {
  if (ArrayAttr queues = getQueuesAttr();
      queues && queues.size() != getNumOperands())
    return emitOpError("names ") << queues.size() << " queues for "
                                 << getNumOperands() << " operands";
  for (auto [index, operand] : llvm::enumerate(getOperands()))
    if (isa<ChunkType>(operand.getType()) && getQueue(index) != QueueKind::Data)
      return emitOpError("takes a chunk through the ")
             << stringifyQueueKind(getQueue(index))
             << " queue; chunks travel through the data queue";
  if (failed(verifyExecuteTypes(*this, getResultTypes(), "results")))
    return failure();
  return verifyYield(*this, getBody(), getResultTypes());
}

LogicalResult CallbackOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getNumOperands())
    return emitOpError("has ") << getNumOperands() << " operands but "
                               << body.getNumArguments() << " region arguments";
  for (auto [argument, operand] : llvm::zip(body.getArguments(), getOperands()))
    if (argument.getType() != getCallbackArgumentType(operand.getType()))
      return emitOpError("takes ")
             << operand.getType() << " as " << argument.getType()
             << " instead of " << getCallbackArgumentType(operand.getType());
  for (Type type : getResultTypes())
    if (auto memref = dyn_cast<MemRefType>(type);
        memref && isa_and_nonnull<QueueSpaceAttr>(memref.getMemorySpace()))
      return emitOpError("hands on memory of the queue (")
             << type << "), which is gone when the callback ends: copy it";
  WalkResult walk = getBody().walk([&](Operation *op) -> WalkResult {
    if (op == body.getTerminator())
      return WalkResult::advance();
    if (isa<SlcDialect>(op->getDialect()))
      return op->emitOpError("may not stand in a callback: it belongs to the "
                             "access side");
    for (Value operand : op->getOperands())
      if (isAccessType(operand.getType())) {
        InFlightDiagnostic diagnostic =
            op->emitOpError("uses a value of the access side: a ")
            << operand.getType()
            << " reaches the core only as an operand of the callback";
        diagnostic.attachNote(getLoc()) << "the callback is here";
        return diagnostic;
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
