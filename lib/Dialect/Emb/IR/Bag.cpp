//===- Bag.cpp - emb.bag --------------------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The loops of a weighted sum over an f32 table with padding, as lowerToLoops
// emits them (index casts left out):
//
//   ... checks of sizes, padding and offsets, which give %ok ...
//   scf.if %ok {
//     scf.for %b = %c0 to %bags step %c1 {
//       scf.for %d = ... { memref.store %zero, %out[%b, %d] }
//       %lo = memref.load %bounds[%b]
//       %hi = memref.load %bounds[%b + 1]
//       scf.for %p = %lo to %hi step %c1 {
//         %i = memref.load %indices[%p]
//         %keep = arith.cmpi ne, %i, %padding
//         scf.if %keep {
//           %w = memref.load %weights[%p]
//           scf.for %d = ... {
//             %r = memref.load %table[%i, %d]
//             out[b, d] += w * r
//           }
//         }
//       }
//     } {ember.kernel = "bag", ember.parallel}
//   }
//
// mean and max carry the number of kept rows through the loop over p. Tables
// narrower than f32 accumulate in a private f32 row, which is rounded into
// `out` at the end of the bag.
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"
#include "LoopBuilder.h"
#include "RowPolicy.h"
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
  if (failed(verifyRank(op, "indices", getIndices(), 1)) ||
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

namespace {
/// The loops of one bag operation.
class BagLoops {
public:
  BagLoops(BagOp op, LoopBuilder &builder)
      : op(op), b(builder), policy(op.getIndexOperands().front()),
        elementType(cast<FloatType>(op.getTable().getType().getElementType())),
        sumType(elementType.getWidth() < 32 ? b.getF32Type() : elementType) {}

  void emit();

private:
  void emitHostPart();
  Value emitClosedOffsets(Value count, Value end);
  void emitNest();
  void emitBag(Value bag, const RowPolicy &rowPolicy);
  Value emitRows(Value bag, const RowPolicy &rowPolicy);
  void emitRow(Value row, Value position, Value kept);
  void emitResult(Value bag, Value kept);

  Value emitUpdate(Value accumulated, Value element, Value weight,
                   Value isFirst);
  void forEachColumn(function_ref<void(Value)> body) {
    b.loop(b.constant(0), columns, body);
  }
  /// Whether the nest needs the number of rows that took part.
  bool countsRows() { return op.getMode() != Mode::Sum; }

  BagOp op;
  LoopBuilder &b;
  IndexOperand policy;
  FloatType elementType, sumType;

  // Set by the host part.
  Value rows, columns, bags, padding, ok;
  /// bags + 1 offsets, the last of which ends the last bag.
  Value bounds;

  /// The row that a bag accumulates in, and the indices of its first element
  /// but for the column.
  Value sums;
  SmallVector<Value> sumsPrefix;
};
} // namespace

void BagLoops::emit() {
  emitHostPart();
  if (op.getTable().getType().getDimSize(1) == 0) {
    HostChecks checks(b);
    b.when(ok, [&] {
      checks.checkIndices(policy, op.getIndices(), b.loadIndex(bounds, bags),
                          rows);
    });
    return;
  }
  b.when(ok, [&] { emitNest(); });
}

/// Without include_last_offset the end of the last bag is not among the
/// offsets. Gives a copy with it.
Value BagLoops::emitClosedOffsets(Value count, Value end) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI64Type());
  Value closed = memref::AllocOp::create(b, type, b.add(count, b.constant(1)),
                                         b.getI64IntegerAttr(64));
  b.loop(b.constant(0), count, [&](Value i) {
    b.store(b.castToI64(b.load(op.getOffsets(), i)), closed, i);
  });
  b.store(b.castToI64(end), closed, count);
  return closed;
}

void BagLoops::emitHostPart() {
  HostChecks checks(b);
  BoundsOperand offsets = op.getBoundsOperands().front();
  Value zero = b.constant(0), one = b.constant(1);
  rows = b.dim(op.getTable(), 0);
  columns = b.dim(op.getTable(), 1);
  Value indexCount = b.dim(op.getIndices(), 0);
  Value offsetCount = b.dim(op.getOffsets(), 0);

  if (std::optional<int64_t> paddingIdx = op.getPaddingIdx())
    padding = checks.checkPadding(*paddingIdx, rows);
  if (op.getWeights())
    checks.checkSize("weights", op.getWeights(), 0, indexCount);

  if (op.getIncludeLastOffset()) {
    bounds = op.getOffsets();
    bags = b.max(b.sub(offsetCount, one), zero);
    checks.checkNotEmpty(offsets, offsetCount, b.constantFlag(true));
    checks.checkOffsets(offsets, bounds, offsetCount, indexCount);
  } else {
    bounds = emitClosedOffsets(offsetCount, indexCount);
    bags = offsetCount;
    checks.checkNotEmpty(offsets, offsetCount,
                         b.cmp(CmpIPredicate::ne, indexCount, zero));
    checks.checkOffsets(offsets, bounds, b.add(bags, one), indexCount);
  }
  checks.checkSize("out", op.getOut(), 0, bags);
  ok = checks.ok();
}

void BagLoops::emitNest() {
  RowPolicy rowPolicy(b, policy.oob, rows, padding);
  scf::ForOp loop =
      b.loop(b.constant(0), bags, [&](Value bag) { emitBag(bag, rowPolicy); });
  markKernel(loop, "bag");
}

void BagLoops::emitBag(Value bag, const RowPolicy &rowPolicy) {
  if (sumType == elementType) {
    sums = op.getOut();
    sumsPrefix = {bag};
  } else {
    int64_t size = op.getTable().getType().getDimSize(1);
    sums = memref::AllocaOp::create(b, MemRefType::get({size}, sumType));
    sumsPrefix.clear();
  }
  forEachColumn([&](Value column) {
    SmallVector<Value> at = sumsPrefix;
    at.push_back(column);
    b.store(b.zero(sumType), sums, at);
  });
  Value kept = emitRows(bag, rowPolicy);
  emitResult(bag, kept);
}

/// Emits the loop over the rows of a bag; gives the number of rows kept, an
/// i64, or null if the mode does not need it.
Value BagLoops::emitRows(Value bag, const RowPolicy &rowPolicy) {
  Value begin = b.loadIndex(bounds, bag);
  Value end = b.loadIndex(bounds, b.add(bag, b.constant(1)));
  Type countType = b.getI64Type();
  auto countConstant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, countType, value);
  };
  SmallVector<Value> init;
  if (countsRows())
    init.push_back(countConstant(0));

  auto body = [&](Value position, ValueRange carried) -> SmallVector<Value> {
    RowPolicy::Row row =
        rowPolicy.apply(b.loadIndex(op.getIndices(), position));
    Value kept = countsRows() ? carried[0] : Value();
    auto takeRow = [&]() -> Value {
      emitRow(row.number, position, kept);
      return kept ? b.add(kept, countConstant(1)) : Value();
    };
    if (!row.keep)
      kept = takeRow();
    else if (kept)
      kept = b.choose(row.keep, takeRow, [&] { return kept; });
    else
      b.when(row.keep, [&] { takeRow(); });
    return kept ? SmallVector<Value>{kept} : SmallVector<Value>{};
  };
  ValueRange results = b.loop(begin, end, init, body);
  return countsRows() ? results[0] : Value();
}

void BagLoops::emitRow(Value row, Value position, Value kept) {
  Value weight, isFirst;
  if (op.getWeights())
    weight = b.castFloat(b.load(op.getWeights(), position), sumType);
  if (op.getMode() == Mode::Max)
    isFirst = b.cmp(CmpIPredicate::eq, kept,
                    arith::ConstantIntOp::create(b, kept.getType(), 0));
  forEachColumn([&](Value column) {
    SmallVector<Value> at = sumsPrefix;
    at.push_back(column);
    Value element = b.castFloat(b.load(op.getTable(), {row, column}), sumType);
    Value accumulated = b.load(sums, at);
    b.store(emitUpdate(accumulated, element, weight, isFirst), sums, at);
  });
}

Value BagLoops::emitUpdate(Value accumulated, Value element, Value weight,
                           Value isFirst) {
  if (op.getMode() == Mode::Max) {
    // An ordered comparison: a NaN that came first stays, a later one loses.
    Value greater = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, element,
                                          accumulated);
    return arith::SelectOp::create(b, b.either(isFirst, greater), element,
                                   accumulated);
  }
  if (weight)
    element = arith::MulFOp::create(b, weight, element);
  return arith::AddFOp::create(b, accumulated, element);
}

/// Emits what remains to be done after the last row of a bag.
void BagLoops::emitResult(Value bag, Value kept) {
  bool divides = op.getMode() == Mode::Mean;
  bool copies = sums != op.getOut();
  if (!divides && !copies)
    return;
  Value divisor;
  if (divides) {
    // A bag without rows is a row of zeros, divided by 1.
    Value one = arith::ConstantIntOp::create(b, kept.getType(), 1);
    divisor = arith::SIToFPOp::create(b, sumType, b.max(kept, one));
  }
  forEachColumn([&](Value column) {
    SmallVector<Value> at = sumsPrefix;
    at.push_back(column);
    Value value = b.load(sums, at);
    if (divides)
      value = arith::DivFOp::create(b, value, divisor);
    b.store(b.castFloat(value, elementType), op.getOut(), {bag, column});
  });
}

LogicalResult BagOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder loops(getLoc(), builder);
  BagLoops(*this, loops).emit();
  return success();
}
