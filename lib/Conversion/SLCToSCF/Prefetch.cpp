//===- Prefetch.cpp - Prefetch the rows of later indices ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// Indices of neighbouring bags lie side by side, so looking ahead by position
// crosses from one bag to the next; only the end of the index buffer stops it.
//
//===----------------------------------------------------------------------===//

#include "Coupled.h"

#include "ember/Dialect/Slc/Transforms/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;

/// Bytes of a cache line, on all machines we model.
static constexpr int64_t lineBytes = 64;

/// The scalar load at a loop's counter that decides `index`, or null.
static slc::MemStreamOp findIndexStream(Value index) {
  Operation *op = index.getDefiningOp();
  if (auto alu = dyn_cast_or_null<slc::AluStreamOp>(op)) {
    for (Value operand : alu.getOperands())
      if (slc::MemStreamOp stream = findIndexStream(operand))
        return stream;
    return nullptr;
  }
  auto stream = dyn_cast_or_null<slc::MemStreamOp>(op);
  if (!stream || stream.getIndices().size() != 1)
    return nullptr;
  auto loop = dyn_cast<slc::ForOp>(stream->getParentOp());
  return loop && stream.getIndices().front() == loop.getCounter() ? stream
                                                                  : nullptr;
}

/// Whether `index` is known as soon as `stream` is: all else that it is made of
/// does not change in the loop of `stream`.
static bool isDecidedBy(Value index, slc::MemStreamOp stream) {
  if (index == stream.getStream())
    return true;
  if (auto alu = index.getDefiningOp<slc::AluStreamOp>())
    return llvm::all_of(alu.getOperands(), [&](Value operand) {
      return isDecidedBy(operand, stream);
    });
  return !stream->getParentRegion()->isAncestor(index.getParentRegion());
}

static unsigned getElementBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// The elements along the last dimension that `load` reads while `stream` keeps
/// its value: its own, or those of all iterations of the loop it stands in.
static std::optional<IndexRange> getColumns(Operation *load,
                                            slc::MemStreamOp stream) {
  unsigned last = load->getNumOperands() - 2;
  Access access{load, last};
  Value column = access.getIndex();
  APInt constant;
  if (matchPattern(column, m_ConstantInt(&constant)))
    return IndexRange{constant.getSExtValue(),
                      constant.getSExtValue() + access.getCount() - 1};
  auto counter = dyn_cast<BlockArgument>(column);
  auto loop = counter ? dyn_cast<slc::ForOp>(counter.getOwner()->getParentOp())
                      : slc::ForOp();
  APInt lower, upper;
  if (!loop || counter != loop.getCounter() ||
      !stream->getParentOp()->isProperAncestor(loop) ||
      !matchPattern(loop.getLower(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpper(), m_ConstantInt(&upper)) || upper.sle(lower))
    return std::nullopt;
  return IndexRange{lower.getSExtValue(), upper.getSExtValue() - 1};
}

Prefetches::Prefetches(slc::KernelOp kernel, int64_t distance)
    : distance(distance) {
  if (distance == 0)
    return;
  llvm::DenseSet<std::pair<Operation *, Value>> seen;
  kernel.walk([&](Operation *op) {
    if (!isa<slc::MemStreamOp, slc::BufferStreamOp>(op) ||
        op->getNumOperands() != 3)
      return;
    // A row: its place depends on an index, its columns do not.
    slc::MemStreamOp stream = findIndexStream(op->getOperand(1));
    if (stream && isDecidedBy(op->getOperand(1), stream) &&
        getColumns(op, stream) &&
        seen.insert({stream, op->getOperand(0)}).second)
      loads[stream].push_back(op);
  });
}

/// Computes again, for another value of `stream`, what `value` is made of.
static Value recompute(OpBuilder &builder, Value value, slc::MemStreamOp stream,
                       IRMapping &ahead) {
  auto alu = value.getDefiningOp<slc::AluStreamOp>();
  if (value == stream.getStream() || !alu)
    return ahead.lookup(value);
  SmallVector<Value> operands;
  for (Value operand : alu.getOperands())
    operands.push_back(recompute(builder, operand, stream, ahead));
  return slc::createArithmetic(builder, alu, operands);
}

/// Rows go into the L2: many more of them may be under way there than the few
/// that the miss buffers of the L1 hold (LLVM's locality 2).
static constexpr unsigned intoL2 = 2;

/// Longer rows are prefetched by a loop: straight-line code grows without
/// bound.
static constexpr int64_t straightLines = 64;

void Prefetches::create(OpBuilder &builder, slc::MemStreamOp stream,
                        IRMapping &map, Extents &extents) {
  auto found = loads.find(stream);
  if (found == loads.end())
    return;
  Location loc = stream.getLoc();
  Value position = map.lookup(stream.getIndices().front());
  Value offset = arith::ConstantIndexOp::create(builder, loc, distance);
  Value wanted = arith::AddIOp::create(builder, loc, position, offset);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc,
                                     extents.get(stream.getMemref(), 0), one);
  Value next = arith::MinSIOp::create(builder, loc, wanted, last);
  IRMapping ahead(map);
  ahead.map(
      stream.getStream(),
      memref::LoadOp::create(builder, loc, map.lookup(stream.getMemref()), next)
          .getResult());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (Operation *load : found->second) {
    Value table = load->getOperand(0);
    Value row = recompute(builder, load->getOperand(1), stream, ahead);
    // A bad index is reported when its turn comes.
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, row, extents.get(table, 0));
    row = arith::SelectOp::create(builder, loc, inside, row, zero);
    IndexRange columns = *getColumns(load, stream);
    int64_t step = std::max<int64_t>(
        1, lineBytes / getElementBytes(
                           cast<MemRefType>(table.getType()).getElementType()));
    auto prefetch = [&](OpBuilder &builder, Value column) {
      memref::PrefetchOp::create(builder, loc, map.lookup(table),
                                 ValueRange{row, column}, /*isWrite=*/false,
                                 intoL2, /*isDataCache=*/true);
    };
    if (columns.greatest - columns.least < straightLines * step) {
      for (int64_t column = columns.least; column <= columns.greatest;
           column += step)
        prefetch(builder, arith::ConstantIndexOp::create(builder, loc, column));
      continue;
    }
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    scf::ForOp::create(
        builder, loc, constant(columns.least), constant(columns.greatest + 1),
        constant(step), ValueRange(),
        [&](OpBuilder &body, Location, Value column, ValueRange) {
          prefetch(body, column);
          scf::YieldOp::create(body, loc);
        });
  }
}
