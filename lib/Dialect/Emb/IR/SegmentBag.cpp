//===- SegmentBag.cpp - emb.segment_bag -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A bag by segment ids lowers to
//
//   ... checks of sizes and segment ids, which give %ok ...
//   scf.if %ok {
//     ... the bounds of each segment, from the ids ...
//     ... the nest of SegmentReduction.cpp, over the segments ...
//   }
//
// Bounds come from sorted ids by noting where each id ends,
//
//   bounds[0 .. segments] = 0
//   for p: bounds[ids[p] + 1] = p + 1
//
// and giving ids that do not occur the end of the id before them.
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"
#include "LoopBuilder.h"
#include "SegmentReduction.h"
#include "Verify.h"

#include "ember/Dialect/Emb/IR/Emb.h"

using namespace mlir;
using namespace ember::emb;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Interface and verifier
//===----------------------------------------------------------------------===//

SmallVector<IndexOperand> SegmentBagOp::getIndexOperands() {
  return {{"indices", &getIndicesMutable(), &getTableMutable(), getOob()}};
}

SmallVector<BoundsOperand> SegmentBagOp::getBoundsOperands() {
  return {{"segment_ids", &getSegmentIdsMutable(), &getIndicesMutable()}};
}

LogicalResult SegmentBagOp::verify() {
  Operation *op = *this;
  if (failed(verifyMode(op, getMode(), {Mode::Sum, Mode::Mean, Mode::SqrtN})) ||
      failed(verifyRank(op, "indices", getIndices(), 1)) ||
      failed(verifyRank(op, "segment_ids", getSegmentIds(), 1)))
    return failure();
  int64_t count = getIndices().getType().getDimSize(0);
  if (failed(verifyShape(op, "segment_ids", getSegmentIds(), {count})))
    return failure();
  if (Value weights = getWeights())
    if (failed(verifyRank(op, "weights", weights, 1)) ||
        failed(verifyElementType(op, "weights", weights, getTable())) ||
        failed(verifyShape(op, "weights", weights, {count})))
      return failure();
  int64_t columns = getTable().getType().getDimSize(1);
  return success(
      succeeded(verifyRank(op, "out", getOut(), 2)) &&
      succeeded(verifyElementType(op, "out", getOut(), getTable())) &&
      succeeded(
          verifyShape(op, "out", getOut(), {ShapedType::kDynamic, columns})));
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// The bounds of `segments` segments that the first `count` elements of `ids`,
/// sorted and in range, give.
static Value emitBounds(LoopBuilder &b, Value ids, Value count,
                        Value segments) {
  Value zero = b.constant(0), one = b.constant(1);
  Value bounds = b.allocBounds(segments), none = b.castToI64(zero);
  b.loop(zero, b.add(segments, one),
         [&](Value segment) { b.store(none, bounds, segment); });
  b.loop(zero, count, [&](Value position) {
    b.store(b.castToI64(b.add(position, one)), bounds,
            b.add(b.loadIndex(ids, position), one));
  });
  b.loop(zero, segments, none,
         [&](Value segment, ValueRange carried) -> SmallVector<Value> {
           Value next = b.add(segment, one);
           Value end = b.max(b.load(bounds, next), carried[0]);
           b.store(end, bounds, next);
           return {end};
         });
  return bounds;
}

LogicalResult SegmentBagOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder b(getLoc(), builder);
  HostChecks checks(b);
  Value zero = b.constant(0);
  Value count = b.dim(getIndices(), 0), segments;
  checks.checkSize("segment_ids", getSegmentIds(), 0, count);
  if (getWeights())
    checks.checkSize("weights", getWeights(), 0, count);
  if (getNumSegments()) {
    segments = b.castToIndex(getNumSegments());
    checks.checkSegmentCount("num_segments", getNumSegments(), segments);
  }
  BoundsOperand ids = getBoundsOperands().front();
  checks.checkSegmentIds(ids, count, segments);
  if (!segments) {
    Value one = b.constant(1);
    segments = b.choose(
        b.both(checks.ok(), b.cmp(CmpIPredicate::sgt, count, zero)),
        [&] {
          return b.add(b.loadIndex(getSegmentIds(), b.sub(count, one)), one);
        },
        [&] { return zero; });
  }
  checks.checkSize("out", getOut(), 0, segments);
  checks.checkSize("out", getOut(), 1, b.dim(getTable(), 1));

  SegmentReduction reduction;
  reduction.index = getIndexOperands().front();
  reduction.table = getTable();
  reduction.indices = getIndices();
  reduction.weights = getWeights();
  reduction.out = getOut();
  if (getMode() == Mode::Mean)
    reduction.divisor = getWeights() ? Divisor::Weights : Divisor::Rows;
  if (getMode() == Mode::SqrtN)
    reduction.divisor =
        getWeights() ? Divisor::RootOfSquares : Divisor::RootOfRows;
  b.when(checks.ok(), [&] {
    reduction.bounds = emitBounds(b, getSegmentIds(), count, segments);
    reduction.emit(b, "segment_bag", segments);
  });
  return success();
}
