//===- SegmentReduction.cpp - Rows of a segment become one row ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The nest of a weighted sum over an f32 table with padding (index casts left
// out):
//
//   scf.for %s = %c0 to %segments step %c1 {
//     scf.for %d = ... { memref.store %zero, %out[%s, %d] }
//     %lo = memref.load %bounds[%s]
//     %hi = memref.load %bounds[%s + 1]
//     scf.for %p = %lo to %hi step %c1 {
//       %i = memref.load %indices[%p]
//       %keep = arith.cmpi ne, %i, %padding
//       scf.if %keep {
//         %w = memref.load %weights[%p]
//         scf.for %d = ... {
//           %r = memref.load %table[%i, %d]
//           out[s, d] += w * r
//         }
//       }
//     }
//   } {ember.kernel = "bag", ember.parallel}
//
// What the end of a segment needs, a divisor or whether there were rows, is
// tallied through the loop over p.
//
//===----------------------------------------------------------------------===//

#include "SegmentReduction.h"

#include "AccumulatorRow.h"
#include "HostChecks.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ember::emb;
using arith::CmpIPredicate;

/// The number of columns of a table, which is static.
static int64_t getColumns(Value table) {
  return cast<MemRefType>(table.getType()).getDimSize(1);
}

namespace {

/// What is carried from row to row of a segment.
enum class Tally { None, Rows, Weights, Squares };

/// Emits one nest.
class Nest {
public:
  Nest(const SegmentReduction &op, LoopBuilder &builder, Value rows)
      : op(op), b(builder), policy(builder, op.index.oob, rows, op.padding),
        type(AccumulatorRow::getComputeType(
            getElementTypeOrSelf(op.table.getType()))) {}

  void emitSegment(Value segment);

private:
  Tally getTally() const;
  bool startsAtInfinity() const {
    return op.combiner == Combiner::Maximum || op.combiner == Combiner::Minimum;
  }
  Value emitRows(AccumulatorRow &result, Value segment);
  Value emitRow(AccumulatorRow &result, Value row, Value position, Value tally);
  Value combine(Value result, Value element, Value isFirst);
  void emitEnd(AccumulatorRow &result, Value tally);
  Value emitDivisor(Value tally);

  Value i64(int64_t value) {
    return arith::ConstantIntOp::create(b, b.getI64Type(), value);
  }

  const SegmentReduction &op;
  LoopBuilder &b;
  RowPolicy policy;
  /// What is computed in.
  FloatType type;
};

} // namespace

void Nest::emitSegment(Value segment) {
  AccumulatorRow result(b, op.out, segment, getColumns(op.table));
  result.fill(startsAtInfinity()
                  ? b.infinity(type, op.combiner == Combiner::Maximum)
                  : b.zero(type));
  Value tally = emitRows(result, segment);
  emitEnd(result, tally);
}

Tally Nest::getTally() const {
  switch (op.divisor) {
  case Divisor::None:
    return op.combiner == Combiner::Sum ? Tally::None : Tally::Rows;
  case Divisor::Rows:
  case Divisor::RootOfRows:
    return Tally::Rows;
  case Divisor::Weights:
    return Tally::Weights;
  case Divisor::RootOfSquares:
    return Tally::Squares;
  }
  llvm_unreachable("all divisors are listed");
}

/// Emits the loop over the rows of a segment; gives the tally, or null.
Value Nest::emitRows(AccumulatorRow &result, Value segment) {
  Value begin = b.loadIndex(op.bounds, segment);
  Value end = b.loadIndex(op.bounds, b.add(segment, b.constant(1)));
  SmallVector<Value> init;
  if (getTally() == Tally::Rows)
    init.push_back(i64(0));
  else if (getTally() != Tally::None)
    init.push_back(b.zero(type));

  auto body = [&](Value position, ValueRange carried) -> SmallVector<Value> {
    RowPolicy::Row row = policy.apply(b.loadIndex(op.indices, position));
    Value tally = carried.empty() ? Value() : carried[0];
    auto takeRow = [&] { return emitRow(result, row.number, position, tally); };
    if (!row.keep)
      tally = takeRow();
    else if (tally)
      tally = b.choose(row.keep, takeRow, [&] { return tally; });
    else
      b.when(row.keep, [&] { takeRow(); });
    return tally ? SmallVector<Value>{tally} : SmallVector<Value>{};
  };
  ValueRange results = b.loop(begin, end, init, body);
  return results.empty() ? Value() : results[0];
}

/// Emits what a row does to the result; gives the tally after it.
Value Nest::emitRow(AccumulatorRow &result, Value row, Value position,
                    Value tally) {
  Value weight, isFirst;
  if (op.weights)
    weight = b.castFloat(b.load(op.weights, position), type);
  if (op.combiner == Combiner::Greater)
    isFirst = b.cmp(CmpIPredicate::eq, tally, i64(0));
  result.update([&](Value value, Value column) {
    Value element = b.castFloat(b.load(op.table, {row, column}), type);
    if (weight)
      element = arith::MulFOp::create(b, weight, element);
    return combine(value, element, isFirst);
  });
  switch (getTally()) {
  case Tally::None:
    return Value();
  case Tally::Rows:
    return b.add(tally, i64(1));
  case Tally::Weights:
    return arith::AddFOp::create(b, tally, weight);
  case Tally::Squares:
    return arith::AddFOp::create(b, tally,
                                 arith::MulFOp::create(b, weight, weight));
  }
  llvm_unreachable("all tallies are listed");
}

Value Nest::combine(Value result, Value element, Value isFirst) {
  // As either zero may win, a core may use its plain instructions.
  constexpr arith::FastMathFlags anyZero = arith::FastMathFlags::nsz;
  switch (op.combiner) {
  case Combiner::Sum:
    return arith::AddFOp::create(b, result, element);
  case Combiner::Greater: {
    Value greater =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, element, result);
    return arith::SelectOp::create(b, b.either(isFirst, greater), element,
                                   result);
  }
  case Combiner::Maximum:
    return arith::MaximumFOp::create(b, result, element, anyZero);
  case Combiner::Minimum:
    return arith::MinimumFOp::create(b, result, element, anyZero);
  }
  llvm_unreachable("all combiners are listed");
}

/// Emits what remains to be done after the last row of a segment.
void Nest::emitEnd(AccumulatorRow &result, Value tally) {
  Value divisor = emitDivisor(tally), isZero;
  if (startsAtInfinity())
    isZero = b.cmp(CmpIPredicate::eq, tally, i64(0));
  else if (getTally() == Tally::Weights || getTally() == Tally::Squares)
    isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, divisor,
                                   b.zero(type));
  if (!divisor && !isZero)
    return result.finish();
  result.finish([&](Value value) {
    if (divisor)
      value = arith::DivFOp::create(b, value, divisor);
    if (isZero)
      value = arith::SelectOp::create(b, isZero, b.zero(type), value);
    return value;
  });
}

/// What a result is divided by, or null.
Value Nest::emitDivisor(Value tally) {
  // A result of no rows is +0 already and may be divided by 1.
  auto count = [&] {
    return arith::SIToFPOp::create(b, type, b.max(tally, i64(1)));
  };
  switch (op.divisor) {
  case Divisor::None:
    return Value();
  case Divisor::Rows:
    return count();
  case Divisor::RootOfRows:
    return math::SqrtOp::create(b, count());
  case Divisor::Weights:
    return tally;
  case Divisor::RootOfSquares:
    return math::SqrtOp::create(b, tally);
  }
  llvm_unreachable("all divisors are listed");
}

void SegmentReduction::emit(LoopBuilder &b, StringRef name,
                            Value segments) const {
  Value rows = b.dim(table, 0);
  if (getColumns(table) == 0) {
    Value end = b.loadIndex(bounds, segments);
    HostChecks(b).checkIndices(index, indices, end, rows);
    return;
  }
  Nest nest(*this, b, rows);
  scf::ForOp loop = b.loop(b.constant(0), segments,
                           [&](Value segment) { nest.emitSegment(segment); });
  markKernel(loop, name);
}
