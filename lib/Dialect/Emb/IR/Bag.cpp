//===- Bag.cpp - emb.bag --------------------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A bag lowers to
//
//   ... checks of sizes, padding and offsets, which give %ok ...
//   scf.if %ok {
//     ... the nest of SegmentReduction.cpp, over the bags ...
//   }
//
// with offsets brought to one form, one more than there are bags.
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"
#include "LoopBuilder.h"
#include "SegmentReduction.h"
#include "Verify.h"

#include "ember/Dialect/Emb/IR/Emb.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember::emb;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Interface and verifier
//===----------------------------------------------------------------------===//

SmallVector<IndexOperand> BagOp::getIndexOperands() {
  return {{"indices", &getIndicesMutable(), &getTableMutable(), getOob()}};
}

SmallVector<BoundsOperand> BagOp::getBoundsOperands() {
  return {{"offsets", &getOffsetsMutable(), &getIndicesMutable()}};
}

LogicalResult BagOp::verify() {
  Operation *op = *this;
  if (failed(verifyMode(op, getMode(), {Mode::Sum, Mode::Mean, Mode::Max})) ||
      failed(verifyRank(op, "indices", getIndices(), 1)) ||
      failed(verifyRank(op, "offsets", getOffsets(), 1)))
    return failure();
  int64_t count = getIndices().getType().getDimSize(0);
  if (Value weights = getWeights()) {
    if (getMode() != Mode::Sum)
      return emitOpError("expects weights only with sum, but the mode is ")
             << stringifyMode(getMode());
    if (failed(verifyRank(op, "weights", weights, 1)) ||
        failed(verifyElementType(op, "weights", weights, getTable())) ||
        failed(verifyShape(op, "weights", weights, {count})))
      return failure();
  }
  int64_t bags = getOffsets().getType().getDimSize(0);
  if (getIncludeLastOffset() && !ShapedType::isDynamic(bags)) {
    if (bags == 0)
      return emitOpError("expects at least one offset with "
                         "include_last_offset");
    --bags;
  }
  int64_t columns = getTable().getType().getDimSize(1);
  if (failed(verifyRank(op, "out", getOut(), 2)) ||
      failed(verifyElementType(op, "out", getOut(), getTable())) ||
      failed(verifyShape(op, "out", getOut(), {bags, columns})))
    return failure();
  return verifyPadding(op, getPaddingIdx(), getTable());
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Without include_last_offset the end of the last bag is not among the
/// offsets. Gives a copy with it.
static Value emitClosedOffsets(LoopBuilder &b, Value offsets, Value count,
                               Value end) {
  Value closed = b.allocBounds(count);
  b.loop(b.constant(0), count,
         [&](Value i) { b.store(b.castToI64(b.load(offsets, i)), closed, i); });
  b.store(b.castToI64(end), closed, count);
  return closed;
}

LogicalResult BagOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder b(getLoc(), builder);
  HostChecks checks(b);
  BoundsOperand offsets = getBoundsOperands().front();
  Value zero = b.constant(0), one = b.constant(1);
  Value indexCount = b.dim(getIndices(), 0);
  Value offsetCount = b.dim(getOffsets(), 0);

  SegmentReduction bags;
  bags.index = getIndexOperands().front();
  bags.table = getTable();
  bags.indices = getIndices();
  bags.weights = getWeights();
  bags.out = getOut();
  if (getMode() == Mode::Max)
    bags.combiner = Combiner::Greater;
  if (getMode() == Mode::Mean)
    bags.divisor = Divisor::Rows;

  if (std::optional<int64_t> paddingIdx = getPaddingIdx())
    bags.padding = checks.checkPadding(*paddingIdx, b.dim(getTable(), 0));
  if (getWeights())
    checks.checkSize("weights", getWeights(), 0, indexCount);

  Value count;
  if (getIncludeLastOffset()) {
    bags.bounds = getOffsets();
    count = b.max(b.sub(offsetCount, one), zero);
    checks.checkNotEmpty(offsets, offsetCount, b.constantFlag(true));
    checks.checkOffsets(offsets, bags.bounds, offsetCount, indexCount);
  } else {
    bags.bounds = emitClosedOffsets(b, getOffsets(), offsetCount, indexCount);
    count = offsetCount;
    checks.checkNotEmpty(offsets, offsetCount,
                         b.cmp(CmpIPredicate::ne, indexCount, zero));
    checks.checkOffsets(offsets, bags.bounds, b.add(count, one), indexCount);
  }
  checks.checkSize("out", getOut(), 0, count);
  checks.checkSize("out", getOut(), 1, b.dim(getTable(), 1));
  b.when(checks.ok(), [&] { bags.emit(b, "bag", count); });
  return success();
}
