//===- SlcOps.cpp - Assembly and checks of slc operations -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SlcChecks.h"

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Positions: an index is a stream unless its type says otherwise
//===----------------------------------------------------------------------===//

static Type getIndexStream(MLIRContext *context) {
  return StreamType::get(context, IndexType::get(context));
}

/// position ::= ssa-use (`:` type)?
static ParseResult parsePosition(OpAsmParser &parser,
                                 OpAsmParser::UnresolvedOperand &operand,
                                 Type &type) {
  type = getIndexStream(parser.getContext());
  if (parser.parseOperand(operand))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  return success();
}

static void printPosition(OpAsmPrinter &printer, Value position) {
  printer << position;
  if (position.getType() != getIndexStream(position.getContext()))
    printer << " : " << position.getType();
}

static ParseResult
parseStreamIndices(OpAsmParser &parser,
                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                   SmallVectorImpl<Type> &types) {
  // A scalar memref has no indices.
  OpAsmParser::UnresolvedOperand first;
  OptionalParseResult any = parser.parseOptionalOperand(first);
  if (!any.has_value())
    return success();
  if (failed(*any))
    return failure();
  auto addType = [&]() -> ParseResult {
    Type type = getIndexStream(parser.getContext());
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(type))
      return failure();
    types.push_back(type);
    return success();
  };
  indices.push_back(first);
  if (addType())
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(indices.emplace_back()) || addType())
      return failure();
  return success();
}

static void printStreamIndices(OpAsmPrinter &printer, Operation *,
                               OperandRange indices, TypeRange) {
  llvm::interleaveComma(indices, printer,
                        [&](Value index) { printPosition(printer, index); });
}

#define GET_OP_CLASSES
#include "ember/Dialect/Slc/IR/SlcOps.cpp.inc"

//===----------------------------------------------------------------------===//
// LaunchOp, LocalOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto kernel =
      symbolTable.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("launches ")
           << getKernelAttr() << ", which is no kernel";
  if (kernel.getArgumentTypes() == getOperandTypes())
    return success();
  InFlightDiagnostic diagnostic = emitOpError("passes (")
                                  << getOperandTypes()
                                  << ") to a kernel that takes ("
                                  << kernel.getArgumentTypes() << ")";
  diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
  return diagnostic;
}

LogicalResult LocalOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  if (!isa_and_nonnull<LocalSpaceAttr>(type.getMemorySpace()))
    return emitOpError("needs a memref in memory space #slc.local, not ")
           << type;
  if (!type.getLayout().isIdentity())
    return emitOpError("needs a contiguous memref, not ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// ForOp
//===----------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, StringRef label,
                  Value lower, Value upper, Value step, ValueRange inits,
                  bool parallel) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands({lower, upper, step});
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.label = builder.getStringAttr(label);
  if (parallel)
    properties.parallel = builder.getUnitAttr();
  Region *body = state.addRegion();
  Block *block = builder.createBlock(body);
  block->addArgument(getIndexStream(builder.getContext()), state.location);
  for (Value init : inits)
    block->addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    ForOp::ensureTerminator(*body, builder, state.location);
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  if (!region.empty() && region.getNumArguments())
    setName(region.getArgument(0), getLabel());
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr label;
  OpAsmParser::Argument counter;
  SmallVector<OpAsmParser::UnresolvedOperand> operands(3);
  Type lowerType, upperType;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseSymbolName(label, "label", state.attributes) ||
      parser.parseArgument(counter) || parser.parseEqual() ||
      parsePosition(parser, operands[0], lowerType) ||
      parser.parseKeyword("to") ||
      parsePosition(parser, operands[1], upperType) ||
      parser.parseKeyword("step") || parser.parseOperand(operands[2]))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("parallel")))
    state.addAttribute("parallel", parser.getBuilder().getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("counted")))
    state.addAttribute("counted", parser.getBuilder().getUnitAttr());
  counter.type = getIndexStream(parser.getContext());
  SmallVector<OpAsmParser::Argument> arguments{counter};
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SMLoc initLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_args"))) {
    SmallVector<OpAsmParser::Argument> iterArgs;
    if (parser.parseAssignmentList(iterArgs, inits) ||
        parser.parseArrowTypeList(state.types))
      return failure();
    if (iterArgs.size() != state.types.size())
      return parser.emitError(initLoc, "expected as many types as iter_args");
    for (auto [argument, type] : llvm::zip(iterArgs, state.types)) {
      argument.type = type;
      arguments.push_back(argument);
    }
  }
  SmallVector<Type> initTypes(state.types.begin(), state.types.end());
  if (parser.resolveOperands(operands, {lowerType, upperType, index},
                             parser.getCurrentLocation(), state.operands) ||
      parser.resolveOperands(inits, initTypes, initLoc, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ForOp::ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getLabel());
  printer << ' ' << getCounter() << " = ";
  printPosition(printer, getLower());
  printer << " to ";
  printPosition(printer, getUpper());
  printer << " step " << getStep();
  if (getParallel())
    printer << " parallel";
  if (getCounted())
    printer << " counted";
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(
        llvm::zip(getIterArgs(), getInits()), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    printer << ')';
    printResults(printer, getResultTypes());
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"label", "parallel", "counted"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
}

LogicalResult ForOp::verify() {
  TypeRange types = getResultTypes();
  if (failed(verifyExecuteTypes(*this, types, "iter_args and results")))
    return failure();
  if (getInits().getTypes() != types)
    return emitOpError("has initial values of type (")
           << getInits().getTypes() << ") but results of type (" << types
           << ")";
  Block &body = getBody().front();
  if (body.getNumArguments() != types.size() + 1 ||
      getCounter().getType() != getIndexStream(getContext()))
    return emitOpError("needs a counter of type ")
           << getIndexStream(getContext())
           << " and one region argument for each result";
  if (TypeRange(body.getArgumentTypes()).drop_front() != types)
    return emitOpError("has iter_args of another type than its results (")
           << types << ")";
  APInt step;
  if (matchPattern(getStep(), m_ConstantInt(&step)) && step.sle(0))
    return emitOpError("needs a step above 0, not ") << step.getSExtValue();
  if (getCounted() && !hasKnownBounds() && !matchPattern(getStep(), m_One()))
    return emitOpError("is counted between bounds that the core does not know, "
                       "so it needs a step of 1");
  return verifyYield(*this, getBody(), types);
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

void IfOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                 Value condition, bool withElse) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(condition);
  state.addTypes(results);
  Region *regions[] = {state.addRegion(), state.addRegion()};
  for (Region *region : regions) {
    if (region == regions[1] && !withElse)
      continue;
    builder.createBlock(region);
    if (results.empty())
      IfOp::ensureTerminator(*region, builder, state.location);
  }
}

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand condition;
  Type flag =
      StreamType::get(parser.getContext(), parser.getBuilder().getI1Type());
  Region *thenRegion = state.addRegion();
  Region *elseRegion = state.addRegion();
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, flag, state.operands) ||
      parser.parseOptionalArrowTypeList(state.types) ||
      parser.parseRegion(*thenRegion))
    return failure();
  IfOp::ensureTerminator(*thenRegion, parser.getBuilder(), state.location);
  if (succeeded(parser.parseOptionalKeyword("else"))) {
    if (parser.parseRegion(*elseRegion))
      return failure();
    IfOp::ensureTerminator(*elseRegion, parser.getBuilder(), state.location);
  }
  return parser.parseOptionalAttrDict(state.attributes);
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  printResults(printer, getResultTypes());
  printer << ' ';
  bool yields = getNumResults() != 0;
  printer.printRegion(getThenRegion(), /*printEntryBlockArgs=*/false, yields);
  if (!getElseRegion().empty()) {
    printer << " else ";
    printer.printRegion(getElseRegion(), /*printEntryBlockArgs=*/false, yields);
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult IfOp::verify() {
  if (failed(verifyExecuteTypes(*this, getResultTypes(), "results")))
    return failure();
  if (getNumResults() && getElseRegion().empty())
    return emitOpError("has results, so it needs an else region");
  for (Region *region : getRegions())
    if (!region->empty() &&
        failed(verifyYield(*this, *region, getResultTypes())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Checks what all accesses share: the indices, and, if they are several
/// elements along the last dimension, its stride.
static LogicalResult verifyPlace(Operation *op, MemRefType memref,
                                 size_t indices, bool several) {
  if (static_cast<int64_t>(indices) != memref.getRank())
    return op->emitOpError("has ")
           << indices << " indices for a memref of rank " << memref.getRank();
  if (several && (memref.getRank() == 0 || !hasUnitInnerStride(memref)))
    return op->emitOpError("touches several elements, so the last dimension "
                           "of ")
           << memref << " needs stride 1";
  return success();
}

/// Checks what mem_stream and buffer_stream share.
static LogicalResult verifyLoad(Operation *op, MemRefType memref,
                                size_t indices, Type element, bool several) {
  if (memref.getElementType() != element)
    return op->emitOpError("streams ")
           << element << " from a memref of " << memref.getElementType();
  return verifyPlace(op, memref, indices, several);
}

LogicalResult MemStreamOp::verify() {
  Type element = getStream().getType().getElementType();
  auto vector = dyn_cast<VectorType>(element);
  if (std::optional<uint64_t> valid = getValid()) {
    if (!vector)
      return emitOpError("counts valid lanes of a scalar stream");
    if (*valid >= static_cast<uint64_t>(vector.getNumElements()))
      return emitOpError("has ")
             << *valid << " valid lanes of " << vector.getNumElements()
             << ": leave out 'valid' when all are";
  }
  return verifyLoad(
      *this, cast<MemRefType>(getMemref().getType()), getIndices().size(),
      vector ? vector.getElementType() : element, static_cast<bool>(vector));
}

LogicalResult BufferStreamOp::verify() {
  ChunkType chunk = getChunk().getType();
  if (static_cast<int64_t>(getLength()) > chunk.getSize())
    return emitOpError("reads ")
           << getLength() << " elements into a chunk of " << chunk.getSize();
  return verifyLoad(*this, cast<MemRefType>(getMemref().getType()),
                    getIndices().size(), chunk.getElementType(),
                    /*several=*/true);
}

/// The elements of `type`, a scalar, stream or chunk, and their type.
static std::pair<int64_t, Type> getElements(Type type) {
  if (auto chunk = dyn_cast<ChunkType>(type))
    return {chunk.getSize(), chunk.getElementType()};
  if (auto stream = dyn_cast<StreamType>(type))
    type = stream.getElementType();
  if (auto vector = dyn_cast<VectorType>(type))
    return {vector.getNumElements(), vector.getElementType()};
  return {1, type};
}

int64_t StoreStreamOp::getCount() {
  if (std::optional<uint64_t> length = getLength())
    return *length;
  return getElements(getValue().getType()).first;
}

LogicalResult StoreStreamOp::verify() {
  auto memref = cast<MemRefType>(getMemref().getType());
  auto [size, element] = getElements(getValue().getType());
  if (memref.getElementType() != element)
    return emitOpError("stores ")
           << element << " to a memref of " << memref.getElementType();
  // Of a scalar there is always enough.
  bool isScalar = size == 1 && !isa<ChunkType>(getValue().getType());
  if (!isScalar && getCount() > size)
    return emitOpError("stores "
                       "")
           << getCount() << " elements of a value of " << size;
  return verifyPlace(*this, memref, getIndices().size(), getCount() > 1);
}

LogicalResult AluStreamOp::verify() {
  auto scalar = [](Type type) {
    auto stream = dyn_cast<StreamType>(type);
    return stream ? stream.getElementType() : type;
  };
  SmallVector<Type> types;
  for (Type type : getOperandTypes()) {
    types.push_back(scalar(type));
    if (!types.back().isSignlessIntOrIndex())
      return emitOpError("computes with integers, not ") << type;
  }
  Type result = getStream().getType().getElementType();
  AluOpcode opcode = getOpcode();
  auto expectOperands = [&](size_t count) -> LogicalResult {
    if (types.size() == count)
      return success();
    return emitOpError() << stringifyAluOpcode(opcode) << " takes " << count
                         << " operands, not " << types.size();
  };
  auto mismatch = [&]() {
    return emitOpError() << stringifyAluOpcode(opcode) << " cannot give "
                         << result << " from (" << types << ")";
  };
  auto isWiden = [](Type from, Type to) {
    return from.isInteger() && to.isInteger() &&
           from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  };
  switch (opcode) {
  case AluOpcode::Add:
  case AluOpcode::Sub:
  case AluOpcode::Mul:
  case AluOpcode::Min:
  case AluOpcode::Max:
  case AluOpcode::And:
  case AluOpcode::Or:
    if (failed(expectOperands(2)))
      return failure();
    return types[0] == result && types[1] == result ? success() : mismatch();
  case AluOpcode::Select:
    if (failed(expectOperands(3)))
      return failure();
    return types[0].isInteger(1) && types[1] == result && types[2] == result
               ? success()
               : mismatch();
  case AluOpcode::Eq:
  case AluOpcode::Ne:
  case AluOpcode::Slt:
  case AluOpcode::Sle:
  case AluOpcode::Sgt:
  case AluOpcode::Sge:
  case AluOpcode::Ult:
  case AluOpcode::Ule:
  case AluOpcode::Ugt:
  case AluOpcode::Uge:
    if (failed(expectOperands(2)))
      return failure();
    return types[0] == types[1] && result.isInteger(1) ? success() : mismatch();
  case AluOpcode::IndexCast:
    if (failed(expectOperands(1)))
      return failure();
    return types[0].isIndex() != result.isIndex() ? success() : mismatch();
  case AluOpcode::ExtSI:
  case AluOpcode::ExtUI:
    if (failed(expectOperands(1)))
      return failure();
    return isWiden(types[0], result) ? success() : mismatch();
  case AluOpcode::Trunc:
    if (failed(expectOperands(1)))
      return failure();
    return isWiden(result, types[0]) ? success() : mismatch();
  }
  llvm_unreachable("every opcode is checked above");
}
