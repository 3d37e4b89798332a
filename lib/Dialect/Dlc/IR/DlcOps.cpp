//===- DlcOps.cpp - Assembly and checks of dlc operations -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

#define GET_OP_CLASSES
#include "ember/Dialect/Dlc/IR/DlcOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Assembly shared by several operations
//===----------------------------------------------------------------------===//

namespace {
/// `%x = %init`, `...` with the types of both.
struct IterArgs {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> types;
};
} // namespace

/// iter-args ::= (`iter_args` `(` assignment-list `)` `->` `(` types `)`)?
static ParseResult parseIterArgs(OpAsmParser &parser, IterArgs &args) {
  if (failed(parser.parseOptionalKeyword("iter_args")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(args.arguments, args.inits) ||
      parser.parseArrowTypeList(args.types))
    return failure();
  if (args.types.size() != args.inits.size())
    return parser.emitError(loc) << args.inits.size() << " iter_args but "
                                 << args.types.size() << " types";
  for (auto [argument, type] : llvm::zip(args.arguments, args.types))
    argument.type = type;
  return success();
}

static void printIterArgs(OpAsmPrinter &printer,
                          Block::BlockArgListType arguments, ValueRange inits) {
  if (inits.empty())
    return;
  printer << " iter_args(";
  llvm::interleaveComma(llvm::zip(arguments, inits), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair);
  });
  printer << ") -> (" << inits.getTypes() << ')';
}

/// counter ::= ssa-id `=` ssa-use `to` ssa-use `step` ssa-use, all of index.
static ParseResult parseCounter(OpAsmParser &parser, OperationState &state,
                                OpAsmParser::Argument &counter) {
  OpAsmParser::UnresolvedOperand lower, upper, step;
  Type index = parser.getBuilder().getIndexType();
  counter.type = index;
  return failure(parser.parseArgument(counter) || parser.parseEqual() ||
                 parser.parseOperand(lower) || parser.parseKeyword("to") ||
                 parser.parseOperand(upper) || parser.parseKeyword("step") ||
                 parser.parseOperand(step) ||
                 parser.resolveOperand(lower, index, state.operands) ||
                 parser.resolveOperand(upper, index, state.operands) ||
                 parser.resolveOperand(step, index, state.operands));
}

static ParseResult parseLabel(OpAsmParser &parser, OperationState &state) {
  StringAttr label;
  return parser.parseSymbolName(label, "label", state.attributes);
}

/// A region that ends with dlc.yield, left out when it hands on nothing.
static ParseResult parseYieldingRegion(OpAsmParser &parser, Region &region,
                                       ArrayRef<OpAsmParser::Argument> args,
                                       Location loc) {
  if (parser.parseRegion(region, args))
    return failure();
  if (region.empty())
    region.emplaceBlock();
  UntilOp::ensureTerminator(region, parser.getBuilder(), loc);
  return success();
}

static void printYieldingRegion(OpAsmPrinter &printer, Region &region) {
  Operation *yield = region.front().getTerminator();
  printer.printRegion(region, /*printEntryBlockArgs=*/false,
                      yield->getNumOperands() != 0);
}

bool ember::dlc::isExecuteSideOp(Operation *op) {
  return isa<RepeatOp, TimesOp, UntilOp, WhenOp, TakeOp>(op);
}

/// Queues are used in order only if no other control flow stands between.
static LogicalResult verifyExecutePlace(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa_and_nonnull<ExecuteOp, RepeatOp, TimesOp, UntilOp, WhenOp>(parent))
    return success();
  if (isa_and_nonnull<FunctionOpInterface>(parent) &&
      parent->hasAttrOfType<QueuesAttr>(QueuesAttr::attributeName))
    return success();
  return op->emitOpError("uses a queue, so it stands directly in dlc.execute, "
                         "dlc.repeat, dlc.times, dlc.until or dlc.when");
}

static LogicalResult verifyStep(Operation *op, Value step) {
  APInt value;
  if (matchPattern(step, m_ConstantInt(&value)) && !value.isStrictlyPositive())
    return op->emitOpError("has a step of ")
           << value.getSExtValue() << ", which is not above 0";
  return success();
}

//===----------------------------------------------------------------------===//
// Access side
//===----------------------------------------------------------------------===//

void LoopOp::build(OpBuilder &builder, OperationState &state, StringRef label,
                   Value lower, Value upper, Value step, LoopMode mode) {
  state.addAttribute(getLabelAttrName(state.name),
                     builder.getStringAttr(label));
  state.addAttribute(getModeAttrName(state.name),
                     LoopModeAttr::get(builder.getContext(), mode));
  state.addOperands({lower, upper, step});
  state.addRegion()->emplaceBlock().addArgument(builder.getIndexType(),
                                                state.location);
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument counter;
  StringRef keyword;
  SMLoc loc;
  if (parseLabel(parser, state) || parseCounter(parser, state, counter) ||
      parser.getCurrentLocation(&loc) || parser.parseKeyword(&keyword))
    return failure();
  std::optional<LoopMode> mode = symbolizeLoopMode(keyword);
  if (!mode)
    return parser.emitError(loc, "expected 'counted' or 'until'");
  state.addAttribute(getModeAttrName(state.name),
                     LoopModeAttr::get(parser.getContext(), *mode));
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), counter));
}

static void printCounter(OpAsmPrinter &printer, Value counter, Value lower,
                         Value upper, Value step) {
  printer << ' ' << counter << " = " << lower << " to " << upper << " step "
          << step;
}

void LoopOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getLabel());
  printCounter(printer, getCounter(), getLower(), getUpper(), getStep());
  printer << ' ' << stringifyLoopMode(getMode());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getLabelAttrName(), getModeAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult LoopOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
    return emitOpError("has one block argument, its counter of type index");
  if (getMode() == LoopMode::Announced && !matchPattern(getStep(), m_One()))
    return emitOpError("announces its trip count, so it has a step of 1");
  return verifyStep(*this, getStep());
}

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// Tokens and counts are sent even if the body does nothing.
void LoopOp::getEffects(Effects &effects) {
  if (getMode() != LoopMode::Counted)
    effects.emplace_back(MemoryEffects::Write::get());
}

void IfOp::getEffects(Effects &effects) {
  if (getMode())
    effects.emplace_back(MemoryEffects::Write::get());
}

void LoopOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  if (region.getNumArguments())
    setName(region.getArgument(0), getLabel().take_front(1));
}

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand condition;
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, parser.getBuilder().getI1Type(),
                            state.operands))
    return failure();
  for (IfMode mode : {IfMode::Filter, IfMode::Flag})
    if (succeeded(parser.parseOptionalKeyword(stringifyIfMode(mode))))
      state.addAttribute(getModeAttrName(state.name),
                         IfModeAttr::get(parser.getContext(), mode));
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*thenRegion))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("else")) &&
      parser.parseRegion(*elseRegion))
    return failure();
  if (thenRegion->empty())
    thenRegion->emplaceBlock();
  return success();
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  if (getMode())
    printer << ' ' << stringifyIfMode(*getMode());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getModeAttrName()});
  printer << ' ';
  printer.printRegion(getThenRegion());
  if (getElseRegion().empty())
    return;
  printer << " else ";
  printer.printRegion(getElseRegion());
}

/// The elements of a value of the access unit, and their type.
static std::pair<int64_t, Type> getElements(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return {vector.getNumElements(), vector.getElementType()};
  if (auto chunk = dyn_cast<slc::ChunkType>(type))
    return {chunk.getSize(), chunk.getElementType()};
  return {1, type};
}

/// Checks the indices into `buffer`, and that its elements can be reached, if
/// they are several side by side along the innermost dimension.
static LogicalResult verifyPlace(Operation *op, MemRefType buffer,
                                 size_t indices, bool several) {
  if (static_cast<int64_t>(indices) != buffer.getRank())
    return op->emitOpError("has ")
           << indices << " indices for a buffer of rank " << buffer.getRank();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(buffer.getStridesAndOffset(strides, offset)))
    return op->emitOpError("needs a buffer with strides, not ") << buffer;
  if (several && (strides.empty() || strides.back() != 1))
    return op->emitOpError("touches several elements, so the innermost "
                           "dimension needs stride 1, but the buffer is ")
           << buffer;
  return success();
}

int64_t MemOp::getElementCount() {
  return getElements(getResult().getType()).first;
}

LogicalResult MemOp::verify() {
  auto buffer = cast<MemRefType>(getMemref().getType());
  Type type = getResult().getType();
  if (!getTakenType(type))
    return emitOpError("cannot load ") << type;
  Type element = getElements(type).second;
  if (element != buffer.getElementType())
    return emitOpError("loads ")
           << element << " from a buffer of " << buffer.getElementType();
  if (element == type && getValid())
    return emitOpError("reads one element, so 'valid' has no meaning");
  if (getValidCount() > getElementCount())
    return emitOpError("has ") << getElementCount() << " elements, of which "
                               << getValidCount() << " cannot be valid";
  return verifyPlace(*this, buffer, getIndices().size(), element != type);
}

int64_t StoreOp::getCount() {
  if (std::optional<uint64_t> length = getLength())
    return *length;
  return getElements(getValue().getType()).first;
}

LogicalResult StoreOp::verify() {
  auto buffer = cast<MemRefType>(getMemref().getType());
  Type type = getValue().getType();
  if (!getTakenType(type))
    return emitOpError("cannot store ") << type;
  auto [size, element] = getElements(type);
  if (element != buffer.getElementType())
    return emitOpError("stores ")
           << element << " to a buffer of " << buffer.getElementType();
  if (element != type && getCount() > size)
    return emitOpError("stores ")
           << getCount() << " elements of a value of " << size;
  return verifyPlace(*this, buffer, getIndices().size(), getCount() > 1);
}

LogicalResult PushOp::verify() {
  if (getTakenType(getValue().getType()))
    return success();
  return emitOpError("cannot send ") << getValue().getType();
}

//===----------------------------------------------------------------------===//
// dlc.repeat
//===----------------------------------------------------------------------===//

void RepeatOp::build(OpBuilder &builder, OperationState &state, StringRef label,
                     Value lower, Value upper, Value step, ValueRange inits) {
  state.addAttribute(getLabelAttrName(state.name),
                     builder.getStringAttr(label));
  state.addOperands({lower, upper, step});
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Block &body = state.addRegion()->emplaceBlock();
  body.addArgument(builder.getIndexType(), state.location);
  for (Value init : inits)
    body.addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    ensureTerminator(*state.regions.front(), builder, state.location);
}

ParseResult RepeatOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument counter;
  IterArgs args;
  SMLoc loc;
  if (parseLabel(parser, state) || parseCounter(parser, state, counter) ||
      parser.getCurrentLocation(&loc) || parseIterArgs(parser, args) ||
      parser.resolveOperands(args.inits, args.types, loc, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addTypes(args.types);
  args.arguments.insert(args.arguments.begin(), counter);
  return parseYieldingRegion(parser, *state.addRegion(), args.arguments,
                             state.location);
}

void RepeatOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getLabel());
  printCounter(printer, getCounter(), getLower(), getUpper(), getStep());
  printIterArgs(printer, getIterArgs(), getInits());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getLabelAttrName()});
  printer << ' ';
  printYieldingRegion(printer, getBody());
}

LogicalResult RepeatOp::verify() {
  if (failed(verifyExecutePlace(*this)))
    return failure();
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 + getInits().size() ||
      !body.getArgument(0).getType().isIndex() ||
      TypeRange(getIterArgs()) != TypeRange(getInits()))
    return emitOpError("has as block arguments its counter of type index, then "
                       "one for each of its iter_args");
  if (TypeRange(getInits()) != getResultTypes())
    return emitOpError("has results of other types than its iter_args");
  if (failed(verifyStep(*this, getStep())))
    return failure();
  return slc::verifyYield(*this, getBody(), getResultTypes());
}

void RepeatOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  if (region.getNumArguments())
    setName(region.getArgument(0), getLabel().take_front(1));
}

//===----------------------------------------------------------------------===//
// dlc.until and dlc.times
//===----------------------------------------------------------------------===//

template <typename Op>
static void buildFollowing(OpBuilder &builder, OperationState &state,
                           StringRef label, ValueRange inits) {
  state.addAttribute(Op::getLabelAttrName(state.name),
                     builder.getStringAttr(label));
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Block &body = state.addRegion()->emplaceBlock();
  for (Value init : inits)
    body.addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    Op::ensureTerminator(*state.regions.front(), builder, state.location);
}

static ParseResult parseFollowing(OpAsmParser &parser, OperationState &state) {
  IterArgs args;
  SMLoc loc;
  if (parseLabel(parser, state) || parser.getCurrentLocation(&loc) ||
      parseIterArgs(parser, args) ||
      parser.resolveOperands(args.inits, args.types, loc, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addTypes(args.types);
  return parseYieldingRegion(parser, *state.addRegion(), args.arguments,
                             state.location);
}

template <typename Op>
static void printFollowing(OpAsmPrinter &printer, Op op) {
  printer << ' ';
  printer.printSymbolName(op.getLabel());
  printIterArgs(printer, op.getIterArgs(), op.getInits());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(),
                                           {op.getLabelAttrName()});
  printer << ' ';
  printYieldingRegion(printer, op.getBody());
}

template <typename Op>
static LogicalResult verifyFollowing(Op op) {
  if (failed(verifyExecutePlace(op)))
    return failure();
  if (TypeRange(op.getIterArgs()) != TypeRange(op.getInits()) ||
      TypeRange(op.getInits()) != op.getResultTypes())
    return op.emitOpError("has one block argument and one result for each of "
                          "its iter_args, of the same type");
  return slc::verifyYield(op, op.getBody(), op.getResultTypes());
}

void UntilOp::build(OpBuilder &builder, OperationState &state, StringRef label,
                    ValueRange inits) {
  buildFollowing<UntilOp>(builder, state, label, inits);
}

ParseResult UntilOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFollowing(parser, state);
}

void UntilOp::print(OpAsmPrinter &printer) { printFollowing(printer, *this); }

LogicalResult UntilOp::verify() { return verifyFollowing(*this); }

void TimesOp::build(OpBuilder &builder, OperationState &state, StringRef label,
                    ValueRange inits) {
  buildFollowing<TimesOp>(builder, state, label, inits);
}

ParseResult TimesOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseFollowing(parser, state);
}

void TimesOp::print(OpAsmPrinter &printer) { printFollowing(printer, *this); }

LogicalResult TimesOp::verify() { return verifyFollowing(*this); }

//===----------------------------------------------------------------------===//
// dlc.when
//===----------------------------------------------------------------------===//

void WhenOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                   bool withElse) {
  state.addTypes(results);
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  thenRegion->emplaceBlock();
  if (withElse)
    elseRegion->emplaceBlock();
  if (!results.empty())
    return;
  ensureTerminator(*thenRegion, builder, state.location);
  if (withElse)
    ensureTerminator(*elseRegion, builder, state.location);
}

ParseResult WhenOp::parse(OpAsmParser &parser, OperationState &state) {
  Region *thenRegion = state.addRegion(), *elseRegion = state.addRegion();
  if (parser.parseOptionalArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parseYieldingRegion(parser, *thenRegion, {}, state.location))
    return failure();
  if (failed(parser.parseOptionalKeyword("else")))
    return success();
  return parseYieldingRegion(parser, *elseRegion, {}, state.location);
}

static void printResults(OpAsmPrinter &printer, TypeRange types) {
  if (!types.empty())
    printer << " -> (" << types << ')';
}

void WhenOp::print(OpAsmPrinter &printer) {
  printResults(printer, getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printYieldingRegion(printer, getThenRegion());
  if (getElseRegion().empty())
    return;
  printer << " else ";
  printYieldingRegion(printer, getElseRegion());
}

LogicalResult WhenOp::verify() {
  if (failed(verifyExecutePlace(*this)) ||
      failed(slc::verifyYield(*this, getThenRegion(), getResultTypes())))
    return failure();
  if (getElseRegion().empty()) {
    if (getNumResults())
      return emitOpError("has results, so it needs an else region");
    return success();
  }
  return slc::verifyYield(*this, getElseRegion(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// dlc.take
//===----------------------------------------------------------------------===//

void TakeOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                   TypeRange elements, ArrayRef<QueueKind> queues) {
  SmallVector<Attribute> attributes;
  for (QueueKind queue : queues)
    attributes.push_back(QueueKindAttr::get(builder.getContext(), queue));
  state.addAttribute(getQueuesAttrName(state.name),
                     builder.getArrayAttr(attributes));
  state.addTypes(results);
  Block &body = state.addRegion()->emplaceBlock();
  for (Type element : elements)
    body.addArgument(element, state.location);
  if (results.empty())
    ensureTerminator(*state.regions.front(), builder, state.location);
}

ParseResult TakeOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> elements;
  SmallVector<Attribute> queues;
  auto parseElement = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc;
    if (parser.parseArgument(elements.emplace_back(), /*allowType=*/true) ||
        parser.parseKeyword("from") || parser.getCurrentLocation(&loc) ||
        parser.parseKeyword(&keyword))
      return failure();
    std::optional<QueueKind> queue = symbolizeQueueKind(keyword);
    if (!queue)
      return parser.emitError(loc, "expected 'data', 'scalar' or 'token'");
    queues.push_back(QueueKindAttr::get(parser.getContext(), *queue));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseElement) ||
      parser.parseOptionalArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addAttribute(getQueuesAttrName(state.name),
                     parser.getBuilder().getArrayAttr(queues));
  return parseYieldingRegion(parser, *state.addRegion(), elements,
                             state.location);
}

void TakeOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(
      llvm::enumerate(getBody().getArguments()), printer, [&](auto element) {
        printer.printRegionArgument(element.value());
        printer << " from " << stringifyQueueKind(getQueue(element.index()));
      });
  printer << ')';
  printResults(printer, getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getQueuesAttrName()});
  printer << ' ';
  printYieldingRegion(printer, getBody());
}

LogicalResult TakeOp::verify() {
  if (failed(verifyExecutePlace(*this)))
    return failure();
  if (getQueues().size() != getBody().getNumArguments())
    return emitOpError("takes ")
           << getBody().getNumArguments() << " elements but names "
           << getQueues().size() << " queues";
  if (getQueues().empty())
    return emitOpError("takes nothing");
  for (BlockArgument element : getBody().getArguments()) {
    Type type = element.getType();
    bool isRow = false;
    if (auto memref = dyn_cast<MemRefType>(type))
      isRow = memref.hasStaticShape() && memref.getRank() == 1 &&
              type == getTakenType(slc::ChunkType::get(
                          getContext(), memref.getDimSize(0),
                          memref.getElementType()));
    if (!isRow && getTakenType(type) != type)
      return emitOpError("cannot take ") << type;
  }
  for (Type type : getResultTypes())
    if (auto memref = dyn_cast<MemRefType>(type))
      if (isa_and_nonnull<slc::QueueSpaceAttr>(memref.getMemorySpace()))
        return emitOpError("hands on a row, which lives only as long as its "
                           "region; copy it");
  return slc::verifyYield(*this, getBody(), getResultTypes());
}
