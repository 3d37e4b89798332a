//===- FusedMM.cpp - emb.fused_mm -----------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The loops of sigmoid_dot over an f32 table, as lowerToLoops emits them (index
// casts left out):
//
//   ... checks of sizes and row pointers, which give %ok ...
//   scf.if %ok {
//     scf.for %u = %c0 to %rows step %c1 {
//       %own = memref.alloca                          // stays with the core
//       scf.for %d = ... { own[d] = rows[u, d] }
//       scf.for %d = ... { out[u, d] = 0 }
//       %lo = memref.load %rowptr[%u]
//       %hi = memref.load %rowptr[%u + 1]
//       scf.for %p = %lo to %hi step %c1 {
//         %v = memref.load %columns[%p]
//         %s = scf.for %d = ... iter_args(%s = 0) { s + own[d] * table[v, d] }
//         %w = 1 / (1 + exp(-s))
//         scf.for %d = ... { out[u, d] += w * table[v, d] }
//       }
//     } {ember.kernel = "fused_mm", ember.parallel}
//   }
//
// gat carries the greatest score so far, %m, and the sum %z of exp(score - %m)
// over the edges. A greater score e scales both sums down first:
//
//       %m, %z = scf.for %p = %lo to %hi iter_args(%m = lowest, %z = 0) {
//         %e = leaky_relu(a[u] + b[columns[p]])
//         %n, %y = scf.if %e > %m { %k = exp(%m - %e); out[u, :] *= %k
//                                   yield %e, %z * %k } else { yield %m, %z }
//         %w = exp(%e - %n)
//         scf.for %d = ... { out[u, d] += w * table[v, d] }
//         yield %n, %y + %w }
//       scf.for %d = ... { out[u, d] /= z }
//
// Tables narrower than f32 accumulate in a private f32 row.
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"
#include "LoopBuilder.h"
#include "Verify.h"

#include "ember/Dialect/Emb/IR/Emb.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember::emb;

//===----------------------------------------------------------------------===//
// Interface and verifier
//===----------------------------------------------------------------------===//

SmallVector<IndexOperand> FusedMMOp::getIndexOperands() {
  return {{"columns", &getColumnsMutable(), &getTableMutable(), Oob::Error}};
}

SmallVector<BoundsOperand> FusedMMOp::getBoundsOperands() {
  return {{"rowptr", &getRowptrMutable(), &getColumnsMutable()}};
}

/// Checks that the operands and attributes are those of the edge function.
static LogicalResult verifyFunction(FusedMMOp op) {
  EdgeFunction function = op.getFunction();
  StringRef name = stringifyEdgeFunction(function);
  bool takesRows =
      function == EdgeFunction::Dot || function == EdgeFunction::SigmoidDot;
  bool isGat = function == EdgeFunction::Gat;
  if (takesRows != static_cast<bool>(op.getRows()))
    return op.emitOpError("expects ")
           << (takesRows ? "rows with " : "no rows with ") << name;
  if (isGat != static_cast<bool>(op.getRowScores()) ||
      isGat != static_cast<bool>(op.getColumnScores()))
    return op.emitOpError("expects ")
           << (isGat ? "scores of rows and columns with " : "no scores with ")
           << name;
  if (isGat != op.getSlope().has_value())
    return op.emitOpError("expects ")
           << (isGat ? "a slope with " : "no slope with ") << name;
  if (op.getThreePass() && !isGat)
    return op.emitOpError("expects three_pass with gat only, but the function "
                          "is ")
           << name;
  return success();
}

LogicalResult FusedMMOp::verify() {
  Operation *op = *this;
  if (failed(verifyFunction(*this)) ||
      failed(verifyRank(op, "columns", getColumns(), 1)) ||
      failed(verifyRank(op, "rowptr", getRowptr(), 1)))
    return failure();
  int64_t rows = getRowptr().getType().getDimSize(0);
  if (rows == 0)
    return emitOpError("expects at least one row pointer");
  if (!ShapedType::isDynamic(rows))
    --rows;
  ArrayRef<int64_t> table = getTable().getType().getShape();
  auto verifyOperand = [&](StringRef name, Value value,
                           ArrayRef<int64_t> shape) -> LogicalResult {
    if (value && (failed(verifyRank(op, name, value, shape.size())) ||
                  failed(verifyElementType(op, name, value, getTable())) ||
                  failed(verifyShape(op, name, value, shape))))
      return failure();
    return success();
  };
  if (failed(verifyOperand("rows", getRows(), {rows, table[1]})) ||
      failed(verifyOperand("scores of rows", getRowScores(), {rows})) ||
      failed(verifyOperand("scores of columns", getColumnScores(), {table[0]})))
    return failure();
  return verifyOperand("out", getOut(), {rows, table[1]});
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {

/// The loops of one operation.
class FusedMMLoops {
public:
  FusedMMLoops(FusedMMOp op, LoopBuilder &builder)
      : op(op), b(builder),
        elementType(cast<FloatType>(op.getTable().getType().getElementType())),
        sumType(elementType.getWidth() < 32 ? b.getF32Type() : elementType) {}

  void emit();

private:
  Value emitHostPart();
  void emitRow(Value row);
  void emitDots(Value row);
  Value emitDot(Value own, Value neighbour);
  Value emitOnlineSoftmax(Value row);
  Value emitThreePassSoftmax(Value row);
  Value emitScore(Value row, Value neighbour);
  void emitResult(Value row, Value divisor);

  /// Emits a loop over the edges; `body` takes the neighbour and what is
  /// carried.
  using EdgeBody = function_ref<SmallVector<Value>(Value, ValueRange)>;
  ValueRange forEachEdge(ValueRange init, EdgeBody body) {
    return b.loop(begin, end, init, [&](Value edge, ValueRange carried) {
      return body(b.loadIndex(op.getColumns(), edge), carried);
    });
  }
  void forEachColumn(function_ref<void(Value)> body) {
    b.loop(b.constant(0), columns, body);
  }
  /// sums[d] = body(sums[d], d)
  void updateSums(function_ref<Value(Value, Value)> body);
  void addNeighbour(Value neighbour, Value weight);

  Value load(Value memref, ValueRange indices) {
    return b.castFloat(b.load(memref, indices), sumType);
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(sumType, value));
  }
  Value exp(Value value) { return math::ExpOp::create(b, value); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }

  FusedMMOp op;
  LoopBuilder &b;
  FloatType elementType, sumType;
  Value columns;

  /// The edges of the row, and where it accumulates: the indices of the first
  /// element but for the column.
  Value begin, end, sums;
  SmallVector<Value> sumsPrefix;
};

} // namespace

void FusedMMLoops::emit() {
  columns = b.dim(op.getTable(), 1);
  Value ok = emitHostPart();
  Value rowCount = b.sub(b.dim(op.getRowptr(), 0), b.constant(1));
  b.when(ok, [&] {
    if (op.getTable().getType().getDimSize(1) == 0) {
      HostChecks(b).checkIndices(op.getIndexOperands().front(), op.getColumns(),
                                 b.dim(op.getColumns(), 0),
                                 b.dim(op.getTable(), 0));
      return;
    }
    scf::ForOp loop =
        b.loop(b.constant(0), rowCount, [&](Value row) { emitRow(row); });
    markKernel(loop, "fused_mm");
  });
}

/// Emits the checks; gives whether nothing bad was found.
Value FusedMMLoops::emitHostPart() {
  HostChecks checks(b);
  BoundsOperand rowptr = op.getBoundsOperands().front();
  Value pointers = b.dim(op.getRowptr(), 0), edges = b.dim(op.getColumns(), 0);
  Value zero = b.constant(0), one = b.constant(1);
  checks.checkNotEmpty(rowptr, pointers, b.constantFlag(true));
  checks.checkOffsets(rowptr, op.getRowptr(), pointers, edges);
  Value last = b.choose(
      b.cmp(arith::CmpIPredicate::sgt, pointers, zero),
      [&] { return b.loadIndex(op.getRowptr(), b.sub(pointers, one)); },
      [&] { return edges; });
  checks.checkSize("columns", op.getColumns(), 0, last);
  Value rows = b.sub(pointers, one);
  if (Value own = op.getRows())
    checks.checkSize("rows", own, 0, rows);
  if (op.getRowScores()) {
    checks.checkSize("scores of rows", op.getRowScores(), 0, rows);
    checks.checkSize("scores of columns", op.getColumnScores(), 0,
                     b.dim(op.getTable(), 0));
  }
  checks.checkSize("out", op.getOut(), 0, rows);
  return checks.ok();
}

void FusedMMLoops::emitRow(Value row) {
  begin = b.loadIndex(op.getRowptr(), row);
  end = b.loadIndex(op.getRowptr(), b.add(row, b.constant(1)));
  if (sumType == elementType) {
    sums = op.getOut();
    sumsPrefix = {row};
  } else {
    int64_t size = op.getTable().getType().getDimSize(1);
    sums = memref::AllocaOp::create(b, MemRefType::get({size}, sumType));
    sumsPrefix.clear();
  }
  updateSums([&](Value, Value) { return b.zero(sumType); });
  Value divisor;
  if (op.getFunction() != EdgeFunction::Gat)
    emitDots(row);
  else
    divisor =
        op.getThreePass() ? emitThreePassSoftmax(row) : emitOnlineSoftmax(row);
  emitResult(row, divisor);
}

void FusedMMLoops::updateSums(function_ref<Value(Value, Value)> body) {
  forEachColumn([&](Value column) {
    SmallVector<Value> at = sumsPrefix;
    at.push_back(column);
    b.store(body(b.load(sums, at), column), sums, at);
  });
}

void FusedMMLoops::addNeighbour(Value neighbour, Value weight) {
  updateSums([&](Value sum, Value column) -> Value {
    Value element = load(op.getTable(), {neighbour, column});
    if (weight)
      element = arith::MulFOp::create(b, weight, element);
    return arith::AddFOp::create(b, sum, element);
  });
}

/// The aggregate of identity, dot and sigmoid_dot.
void FusedMMLoops::emitDots(Value row) {
  // The row's own end is used once an edge, so a copy stays with the core.
  Value own;
  if (Value rows = op.getRows()) {
    int64_t size = op.getTable().getType().getDimSize(1);
    own = memref::AllocaOp::create(b, MemRefType::get({size}, sumType));
    forEachColumn(
        [&](Value column) { b.store(load(rows, {row, column}), own, column); });
  }
  forEachEdge({}, [&](Value neighbour, ValueRange) -> SmallVector<Value> {
    Value weight = own ? emitDot(own, neighbour) : Value();
    if (op.getFunction() == EdgeFunction::SigmoidDot) {
      Value power = exp(arith::NegFOp::create(b, weight));
      weight = arith::DivFOp::create(
          b, number(1), arith::AddFOp::create(b, number(1), power));
    }
    addNeighbour(neighbour, weight);
    return {};
  });
}

Value FusedMMLoops::emitDot(Value own, Value neighbour) {
  return b.loop(b.constant(0), columns, b.zero(sumType),
                [&](Value column, ValueRange sum) -> SmallVector<Value> {
                  Value product = arith::MulFOp::create(
                      b, b.load(own, column),
                      load(op.getTable(), {neighbour, column}));
                  return {arith::AddFOp::create(b, sum[0], product)};
                })[0];
}

/// leaky_relu(a[u] + b[v])
Value FusedMMLoops::emitScore(Value row, Value neighbour) {
  Value score = arith::AddFOp::create(b, load(op.getRowScores(), row),
                                      load(op.getColumnScores(), neighbour));
  Value isPositive =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, score, number(0));
  Value sloped =
      arith::MulFOp::create(b, score, number(op.getSlope()->convertToDouble()));
  return arith::SelectOp::create(b, isPositive, score, sloped);
}

/// Gives the divisor of the sums.
Value FusedMMLoops::emitOnlineSoftmax(Value row) {
  // Not -infinity, which less a score of -infinity would be NaN although a
  // greater score may follow.
  APFloat lowest =
      APFloat::getLargest(sumType.getFloatSemantics(), /*Negative=*/true);
  Value init[] = {arith::ConstantOp::create(b, b.getFloatAttr(sumType, lowest)),
                  b.zero(sumType)};
  auto body = [&](Value neighbour, ValueRange carried) -> SmallVector<Value> {
    Value score = emitScore(row, neighbour);
    Value isGreater =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, score, carried[0]);
    auto scaled = b.choose(
        isGreater,
        [&]() -> SmallVector<Value> {
          Value factor = exp(subtract(carried[0], score));
          updateSums([&](Value sum, Value) -> Value {
            return arith::MulFOp::create(b, sum, factor);
          });
          return {score, arith::MulFOp::create(b, carried[1], factor)};
        },
        [&] { return SmallVector<Value>(carried); });
    Value weight = exp(subtract(score, scaled[0]));
    addNeighbour(neighbour, weight);
    return {scaled[0], arith::AddFOp::create(b, scaled[1], weight)};
  };
  return forEachEdge(init, body)[1];
}

/// Gives the divisor of the sums.
Value FusedMMLoops::emitThreePassSoftmax(Value row) {
  APFloat infinity =
      APFloat::getInf(sumType.getFloatSemantics(), /*Negative=*/true);
  Value lowest =
      arith::ConstantOp::create(b, b.getFloatAttr(sumType, infinity));
  Value greatest = forEachEdge(
      lowest, [&](Value neighbour, ValueRange carried) -> SmallVector<Value> {
        return {arith::MaximumFOp::create(b, carried[0],
                                          emitScore(row, neighbour))};
      })[0];
  auto weigh = [&](Value neighbour) {
    return exp(subtract(emitScore(row, neighbour), greatest));
  };
  Value divisor = forEachEdge(
      b.zero(sumType),
      [&](Value neighbour, ValueRange carried) -> SmallVector<Value> {
        return {arith::AddFOp::create(b, carried[0], weigh(neighbour))};
      })[0];
  forEachEdge({}, [&](Value neighbour, ValueRange) -> SmallVector<Value> {
    addNeighbour(neighbour, weigh(neighbour));
    return {};
  });
  return divisor;
}

/// Emits what remains to be done after the last edge.
void FusedMMLoops::emitResult(Value row, Value divisor) {
  if (!divisor && sums == op.getOut())
    return;
  if (divisor) {
    // A row without edges is a row of zeros, divided by 1.
    Value hasEdges = b.cmp(arith::CmpIPredicate::sgt, end, begin);
    divisor = arith::SelectOp::create(b, hasEdges, divisor, number(1));
  }
  forEachColumn([&](Value column) {
    SmallVector<Value> at = sumsPrefix;
    at.push_back(column);
    Value value = b.load(sums, at);
    if (divisor)
      value = arith::DivFOp::create(b, value, divisor);
    b.store(b.castFloat(value, elementType), op.getOut(), {row, column});
  });
}

LogicalResult FusedMMOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder loops(getLoc(), builder);
  FusedMMLoops(*this, loops).emit();
  return success();
}
