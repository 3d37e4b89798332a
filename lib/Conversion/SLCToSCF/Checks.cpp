//===- Checks.cpp - Index checks of coupled loops -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Coupled.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;

Extents::Extents(OpBuilder &builder, slc::KernelOp kernel, IRMapping &map) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    for (unsigned dimension = 0; dimension < type.getRank(); ++dimension)
      extents[{argument, dimension}] = memref::DimOp::create(
          builder, argument.getLoc(), map.lookup(argument), dimension);
  }
}

std::optional<IndexRange> ember::getConstantRange(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return IndexRange{constant.getSExtValue(), constant.getSExtValue()};
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return std::nullopt;
    std::optional<IndexRange> lower = getConstantRange(loop.getLowerBound());
    std::optional<IndexRange> upper = getConstantRange(loop.getUpperBound());
    std::optional<IndexRange> step = getConstantRange(loop.getStep());
    if (!lower || !upper || !step || step->least != step->greatest ||
        step->least <= 0)
      return std::nullopt;
    // The last counter is exact if the lower bound is.
    int64_t last = upper->greatest - 1;
    if (lower->least == lower->greatest && last > lower->least)
      last -= (last - lower->least) % step->least;
    return IndexRange{lower->least, std::max(last, lower->least)};
  }
  if (auto add = index.getDefiningOp<arith::AddIOp>()) {
    std::optional<IndexRange> lhs = getConstantRange(add.getLhs());
    std::optional<IndexRange> rhs = getConstantRange(add.getRhs());
    IndexRange sum;
    if (!lhs || !rhs || llvm::AddOverflow(lhs->least, rhs->least, sum.least) ||
        llvm::AddOverflow(lhs->greatest, rhs->greatest, sum.greatest))
      return std::nullopt;
    return sum;
  }
  return std::nullopt;
}

Value ember::getMemRef(Operation *stream) {
  return llvm::TypeSwitch<Operation *, Value>(stream)
      .Case<slc::MemStreamOp, slc::BufferStreamOp, slc::StoreStreamOp>(
          [](auto op) { return op.getMemref(); });
}

OperandRange ember::getIndices(Operation *stream) {
  return llvm::TypeSwitch<Operation *, OperandRange>(stream)
      .Case<slc::MemStreamOp, slc::BufferStreamOp, slc::StoreStreamOp>(
          [](auto op) { return op.getIndices(); });
}

int64_t Access::getCount() const {
  if (dimension + 1 < getIndices(stream).size())
    return 1;
  if (auto buffer = dyn_cast<slc::BufferStreamOp>(stream))
    return buffer.getLength();
  if (auto store = dyn_cast<slc::StoreStreamOp>(stream))
    return store.getCount();
  auto load = cast<slc::MemStreamOp>(stream);
  auto vector =
      dyn_cast<VectorType>(load.getStream().getType().getElementType());
  if (std::optional<uint64_t> valid = load.getValid())
    return *valid;
  return vector ? vector.getNumElements() : 1;
}

static bool isInside(IndexRange range, MemRefType type, Access access) {
  return !type.isDynamicDim(access.dimension) && range.least >= 0 &&
         range.greatest <=
             type.getDimSize(access.dimension) - access.getCount();
}

SmallVector<Access> ember::getUncheckedAccesses(Operation *stream,
                                                IRMapping &map) {
  SmallVector<Access> accesses;
  auto type = cast<MemRefType>(getMemRef(stream).getType());
  for (unsigned dimension = 0; dimension < type.getRank(); ++dimension) {
    Access access{stream, dimension};
    std::optional<IndexRange> range =
        getConstantRange(map.lookup(access.getIndex()));
    if (!range || !isInside(*range, type, access))
      accesses.push_back(access);
  }
  return accesses;
}

/// `index`, below 0 a huge number, against the last place where `count`
/// elements fit: one unsigned comparison covers both ends.
static Value createInside(OpBuilder &builder, Location loc, Value index,
                          Value extent, int64_t count) {
  if (count == 1)
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                                 extent);
  Value size = arith::ConstantIndexOp::create(builder, loc, count);
  Value last = arith::SubIOp::create(builder, loc, extent, size);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value low = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                    index, zero);
  Value high = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     index, last);
  return arith::AndIOp::create(builder, loc, low, high);
}

Value ember::createCheck(OpBuilder &builder, Access access, IRMapping &map,
                         Extents &extents) {
  return createInside(
      builder, access.stream->getLoc(), map.lookup(access.getIndex()),
      extents.get(access.getMemRef(), access.dimension), access.getCount());
}

/// The load that an index of the access side is computed from, or null.
static slc::MemStreamOp findSource(Value index) {
  Operation *op = index.getDefiningOp();
  if (auto load = dyn_cast_or_null<slc::MemStreamOp>(op))
    return load;
  if (auto alu = dyn_cast_or_null<slc::AluStreamOp>(op))
    for (Value operand : alu.getOperands())
      if (slc::MemStreamOp load = findSource(operand))
        return load;
  return nullptr;
}

static StringAttr getArgumentName(OpBuilder &builder, Value memref) {
  auto argument = cast<BlockArgument>(memref);
  auto kernel = cast<slc::KernelOp>(argument.getOwner()->getParentOp());
  return builder.getStringAttr(kernel.getArgumentName(argument.getArgNumber()));
}

void ember::createFault(OpBuilder &builder, Access access, IRMapping &map,
                        Extents &extents) {
  Location loc = access.stream->getLoc();
  Value limit = extents.get(access.getMemRef(), access.dimension);
  slc::MemStreamOp source = findSource(access.getIndex());
  Value position, value;
  Value memref = access.getMemRef();
  dlc::FaultKind kind = dlc::FaultKind::IndexOutOfRange;
  if (source &&
      !isa<VectorType>(source.getStream().getType().getElementType())) {
    memref = source.getMemref();
    value = map.lookup(source.getStream());
    // The position of an element of a matrix of indices counts row by row.
    for (auto [dimension, index] : llvm::enumerate(source.getIndices())) {
      Value mapped = map.lookup(index);
      if (position) {
        Value rows = arith::MulIOp::create(builder, loc, position,
                                           extents.get(memref, dimension));
        mapped = arith::AddIOp::create(builder, loc, rows, mapped);
      }
      position = mapped;
    }
  } else {
    kind = dlc::FaultKind::SubscriptOutOfRange;
    position = arith::ConstantIndexOp::create(builder, loc, access.dimension);
    // Of several elements the first one outside is the bad one.
    Value index = map.lookup(access.getIndex());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value low = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      index, zero);
    Value beyond = arith::MaxSIOp::create(builder, loc, index, limit);
    value = arith::SelectOp::create(builder, loc, low, index, beyond);
  }
  if (!position)
    position = arith::ConstantIndexOp::create(builder, loc, 0);
  dlc::FaultOp::create(builder, loc, kind, getArgumentName(builder, memref),
                       position, value, limit, /*site=*/IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Checks before a loop
//===----------------------------------------------------------------------===//

/// Whether the index of `access` keeps its value while `loop` runs.
static bool isInvariant(Access access, slc::ForOp loop) {
  return !loop.getBody().isAncestor(access.getIndex().getParentRegion());
}

SmallVector<Access> ember::getLoopAccesses(slc::ForOp loop, IRMapping &map) {
  std::optional<IndexRange> lower =
      getConstantRange(map.lookup(loop.getLower()));
  std::optional<IndexRange> upper =
      getConstantRange(map.lookup(loop.getUpper()));
  SmallVector<Access> accesses;
  llvm::SmallDenseSet<std::tuple<Value, Value, unsigned, int64_t>> seen;
  for (Operation &op : loop.getBody().front()) {
    if (!isa<slc::MemStreamOp, slc::BufferStreamOp>(op))
      continue;
    for (unsigned dimension = 0; dimension + 1 < op.getNumOperands();
         ++dimension) {
      Access access{&op, dimension};
      auto type = cast<MemRefType>(access.getMemRef().getType());
      std::optional<IndexRange> range;
      if (isInvariant(access, loop)) {
        range = getConstantRange(map.lookup(access.getIndex()));
      } else {
        // With another step the last counter may lie below the bound by more
        // than one.
        if (access.getIndex() != loop.getCounter() || access.getCount() != 1 ||
            !matchPattern(loop.getStep(), m_One()))
          continue;
        if (lower && upper)
          range = IndexRange{lower->least, upper->greatest - 1};
      }
      if (range && isInside(*range, type, access))
        continue;
      if (seen.insert({access.getIndex(), access.getMemRef(), dimension,
                       access.getCount()})
              .second)
        accesses.push_back(access);
    }
  }
  return accesses;
}

Value ember::createLoopCheck(OpBuilder &builder, slc::ForOp loop, Access access,
                             IRMapping &map, Extents &extents) {
  Location loc = access.stream->getLoc();
  Value lower = map.lookup(loop.getLower()),
        upper = map.lookup(loop.getUpper());
  Value inside;
  if (isInvariant(access, loop)) {
    inside = createCheck(builder, access, map, extents);
  } else {
    Value extent = extents.get(access.getMemRef(), access.dimension);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value low = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, lower, zero);
    Value high = builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sle, upper, extent);
    inside = builder.createOrFold<arith::AndIOp>(loc, high, low);
  }
  // A loop without iterations reads nothing.
  Value empty = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sge, lower, upper);
  return builder.createOrFold<arith::OrIOp>(loc, inside, empty);
}

void ember::createLoopFault(OpBuilder &builder, slc::ForOp loop, Access access,
                            IRMapping &map, Extents &extents) {
  if (isInvariant(access, loop))
    return createFault(builder, access, map, extents);
  Location loc = access.stream->getLoc();
  Value lower = map.lookup(loop.getLower());
  Value extent = extents.get(access.getMemRef(), access.dimension);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value low = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::slt, lower, zero);
  Value beyond = builder.createOrFold<arith::MaxSIOp>(loc, extent, lower);
  Value first = builder.createOrFold<arith::SelectOp>(loc, low, lower, beyond);
  Value dimension =
      arith::ConstantIndexOp::create(builder, loc, access.dimension);
  dlc::FaultOp::create(builder, loc, dlc::FaultKind::SubscriptOutOfRange,
                       getArgumentName(builder, access.getMemRef()), dimension,
                       first, extent, /*site=*/IntegerAttr());
}
