//===- Score.cpp - emb.score ----------------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The loops of transe with p = 1 over triples, as lowerToLoops emits them
// (index casts left out):
//
//   ... checks of sizes, which give %ok ...
//   scf.if %ok {
//     scf.for %b = %c0 to %triples step %c1 {
//       %h, %r, %t = memref.load %heads[%b], %relation_ids[%b], %tails[%b]
//       %sum = scf.for %d = ... iter_args(%s = 0) {
//         s + |(entities[h, d] + relations[r, d]) - entities[t, d]| }
//       out[b] = gamma - sum
//     } {ember.kernel = "score", ember.parallel}
//   }
//
// With candidates, what head and relation make together is kept by the core:
//
//       %query = memref.alloca
//       scf.for %d = ... { query[d] = entities[h, d] + relations[r, d] }
//       scf.for %c = %c0 to %candidates step %c1 {
//         %t = memref.load %tails[%b, %c]
//         %sum = scf.for %d = ... iter_args(%s = 0) {
//           s + |query[d] - entities[t, d]| }
//         out[b, c] = gamma - sum }
//
// With candidates for the head it is relation and tail, brought to a form for
// which the loop over candidates is the same. Real and imaginary halves of rows
// are two views of their table.
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

SmallVector<IndexOperand> ScoreOp::getIndexOperands() {
  SmallVector<IndexOperand> operands = {{"relation_ids",
                                         &getRelationIdsMutable(),
                                         &getRelationsMutable(), Oob::Error}};
  auto add = [&](StringRef name, MutableOperandRange indices) {
    if (!indices.empty())
      operands.push_back(
          {name, &indices[0], &getEntitiesMutable(), Oob::Error});
  };
  add("heads", getHeadsMutable());
  add("tails", getTailsMutable());
  return operands;
}

static bool isComplex(ScoreFunction function) {
  return function == ScoreFunction::ComplEx ||
         function == ScoreFunction::RotatE;
}

/// Checks that attributes and columns are those of the function.
static LogicalResult verifyFunction(ScoreOp op) {
  ScoreFunction function = op.getFunction();
  StringRef name = stringifyScoreFunction(function);
  bool isTransE = function == ScoreFunction::TransE;
  if (isTransE != op.getP().has_value())
    return op.emitOpError("expects ")
           << (isTransE ? "p with " : "no p with ") << name;
  if (isTransE && *op.getP() != 1 && *op.getP() != 2)
    return op.emitOpError("expects p of 1 or 2, but got ") << *op.getP();
  if (op.getGamma() && !isTransE && function != ScoreFunction::RotatE)
    return op.emitOpError("expects no gamma with ") << name;

  int64_t columns = op.getEntities().getType().getDimSize(1);
  if (isComplex(function) && columns % 2 != 0)
    return op.emitOpError("expects an even number of columns with ")
           << name << ", but got " << columns;
  int64_t expected = function == ScoreFunction::RotatE ? columns / 2 : columns;
  int64_t actual = op.getRelations().getType().getDimSize(1);
  if (actual != expected)
    return op.emitOpError("expects relations of ")
           << expected << " columns with " << name << " of " << columns
           << ", but got " << actual;
  return success();
}

LogicalResult ScoreOp::verify() {
  Operation *op = *this;
  if (failed(verifyFunction(*this)) ||
      failed(
          verifyElementType(op, "relations", getRelations(), getEntities())) ||
      failed(verifyElementType(op, "out", getOut(), getEntities())) ||
      failed(verifyRank(op, "relation_ids", getRelationIds(), 1)))
    return failure();

  // The shape of `out`: one dimension, or that of the candidates after it.
  SmallVector<int64_t> shape(getRelationIds().getType().getShape());
  for (auto [name, indices] :
       {std::pair("heads", getHeads()), std::pair("tails", getTails())}) {
    int64_t candidates = getEntities().getType().getDimSize(0);
    if (indices) {
      auto type = cast<ShapedType>(indices.getType());
      if (type.getRank() != 1 && type.getRank() != 2)
        return emitOpError("expects ")
               << name << " of rank 1, or 2 for candidates, but got " << type;
      if (failed(verifyCompatibleShape(type.getShape().take_front(),
                                       ArrayRef(shape).take_front())))
        return emitOpError("expects as many ")
               << name << " as relation_ids, but got " << type << " and "
               << getRelationIds().getType();
      if (type.getRank() == 1)
        continue;
      candidates = type.getDimSize(1);
    }
    if (shape.size() == 2)
      return emitOpError("expects candidates for heads or for tails, not for "
                         "both");
    shape.push_back(candidates);
  }
  return verifyShape(op, "out", getOut(), shape);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {

/// A number, or real and imaginary part of one.
using Number = SmallVector<Value, 2>;

/// The loops of one operation.
class ScoreLoops {
public:
  ScoreLoops(ScoreOp op, LoopBuilder &builder)
      : op(op), b(builder), function(op.getFunction()),
        elementType(
            cast<FloatType>(op.getEntities().getType().getElementType())),
        sumType(elementType.getWidth() < 32 ? b.getF32Type() : elementType),
        parts(isComplex(function) ? 2 : 1),
        width(op.getEntities().getType().getDimSize(1) / parts) {}

  void emit();

private:
  Value emitHostPart();
  void checkIndices();
  SmallVector<Value> viewParts(Value table, int64_t count);
  void emitTriple(Value triple);
  void emitCandidates(Value triple, Value fixed, Value relation);

  Number emitQuery(Number entity, Number relation, bool isHead);
  Value emitTerm(const Number &query, const Number &candidate, bool isHead);
  void emitScore(function_ref<Value(Value)> term, ValueRange at);

  Number load(ValueRange memrefs, ValueRange at) {
    return llvm::map_to_vector<2>(memrefs, [&](Value memref) {
      return b.castFloat(b.load(memref, at), sumType);
    });
  }
  void forEachColumn(function_ref<void(Value)> body) {
    b.loop(b.constant(0), b.constant(width), body);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  /// Operands of candidates are of rank 2 or missing.
  static bool isOneATriple(Value indices) {
    return indices && cast<ShapedType>(indices.getType()).getRank() == 1;
  }

  ScoreOp op;
  LoopBuilder &b;
  ScoreFunction function;
  FloatType elementType, sumType;
  /// Parts of an entity's row, and their columns.
  int64_t parts, width;
  SmallVector<Value> entities, relations;
};

} // namespace

void ScoreLoops::emit() {
  Value ok = emitHostPart();
  b.when(ok, [&] {
    if (width == 0)
      checkIndices();
    entities = viewParts(op.getEntities(), parts);
    relations = viewParts(op.getRelations(),
                          function == ScoreFunction::RotatE ? 1 : parts);
    scf::ForOp loop = b.loop(b.constant(0), b.dim(op.getRelationIds(), 0),
                             [&](Value triple) { emitTriple(triple); });
    markKernel(loop, "score");
  });
}

/// Emits the checks; gives whether nothing bad was found.
Value ScoreLoops::emitHostPart() {
  HostChecks checks(b);
  Value triples = b.dim(op.getRelationIds(), 0);
  Value candidates = b.dim(op.getEntities(), 0);
  for (auto [name, indices] :
       {std::pair("heads", op.getHeads()), std::pair("tails", op.getTails())}) {
    if (!indices)
      continue;
    checks.checkSize(name, indices, 0, triples);
    if (!isOneATriple(indices))
      candidates = b.dim(indices, 1);
  }
  checks.checkSize("out", op.getOut(), 0, triples);
  if (cast<ShapedType>(op.getOut().getType()).getRank() == 2)
    checks.checkSize("out", op.getOut(), 1, candidates);
  return checks.ok();
}

/// Rows without columns are not read, so nobody else checks indices of them.
void ScoreLoops::checkIndices() {
  for (const IndexOperand &operand : op.getIndexOperands()) {
    Value indices = operand.indices->get();
    Value rows = b.dim(operand.table->get(), 0);
    Value count = b.dim(indices, 0);
    if (isOneATriple(indices)) {
      HostChecks(b).checkIndices(operand, indices, count, rows);
      continue;
    }
    b.loop(b.constant(0), count, [&](Value triple) {
      OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
      Value candidates = b.dim(indices, 1);
      auto type = cast<MemRefType>(indices.getType());
      OpFoldResult offsets[] = {triple, zero}, sizes[] = {one, candidates},
                   strides[] = {one, one};
      auto view = memref::SubViewOp::create(
          b,
          memref::SubViewOp::inferRankReducedResultType(
              {type.getDimSize(1)}, type, offsets, sizes, strides),
          indices, offsets, sizes, strides);
      HostChecks(b).checkIndices(operand, view, candidates, rows);
    });
  }
}

/// The first columns of a table, the next ones, and so on, as tables. Of a
/// table without columns there is no view that begins at one.
SmallVector<Value> ScoreLoops::viewParts(Value table, int64_t count) {
  if (count == 1 || width == 0)
    return SmallVector<Value>(count, table);
  SmallVector<Value> views;
  for (int64_t part = 0; part < count; ++part) {
    OpFoldResult one = b.getIndexAttr(1);
    views.push_back(memref::SubViewOp::create(
        b, table,
        ArrayRef<OpFoldResult>{b.getIndexAttr(0), b.getIndexAttr(part * width)},
        ArrayRef<OpFoldResult>{b.dim(table, 0), b.getIndexAttr(width)},
        ArrayRef<OpFoldResult>{one, one}));
  }
  return views;
}

void ScoreLoops::emitTriple(Value triple) {
  Value relation = b.loadIndex(op.getRelationIds(), triple);
  bool hasHead = isOneATriple(op.getHeads());
  bool hasTail = isOneATriple(op.getTails());
  if (!hasHead || !hasTail) {
    Value fixed = hasHead ? op.getHeads() : op.getTails();
    emitCandidates(triple, b.loadIndex(fixed, triple), relation);
    return;
  }
  Value head = b.loadIndex(op.getHeads(), triple);
  Value tail = b.loadIndex(op.getTails(), triple);
  emitScore(
      [&](Value column) {
        Number query = emitQuery(load(entities, {head, column}),
                                 load(relations, {relation, column}),
                                 /*isHead=*/true);
        return emitTerm(query, load(entities, {tail, column}),
                        /*isHead=*/false);
      },
      triple);
}

/// `fixed` is the entity at the end that has no candidates.
void ScoreLoops::emitCandidates(Value triple, Value fixed, Value relation) {
  bool hasHead = isOneATriple(op.getHeads());
  Value indices = hasHead ? op.getTails() : op.getHeads();
  SmallVector<Value> queries;
  for (int64_t part = 0; part < parts; ++part)
    queries.push_back(
        memref::AllocaOp::create(b, MemRefType::get({width}, sumType)));
  forEachColumn([&](Value column) {
    Number query = emitQuery(load(entities, {fixed, column}),
                             load(relations, {relation, column}), hasHead);
    for (auto [value, memref] : llvm::zip(query, queries))
      b.store(value, memref, column);
  });
  b.loop(b.constant(0), b.dim(op.getOut(), 1), [&](Value candidate) {
    Value entity =
        indices ? b.loadIndex(indices, {triple, candidate}) : candidate;
    emitScore(
        [&](Value column) {
          return emitTerm(load(queries, column),
                          load(entities, {entity, column}),
                          /*isHead=*/!hasHead);
        },
        {triple, candidate});
  });
}

/// An element of what an entity and the relation make together.
Number ScoreLoops::emitQuery(Number entity, Number relation, bool isHead) {
  switch (function) {
  case ScoreFunction::TransE:
    if (isHead)
      return {add(entity[0], relation[0])};
    return {subtract(relation[0], entity[0])};
  case ScoreFunction::DistMult:
    return {multiply(entity[0], relation[0])};
  case ScoreFunction::RotatE: {
    // A turn back of the tail is as far from the head as the head's turn is
    // from the tail.
    Value sine = math::SinOp::create(b, relation[0]);
    if (!isHead)
      sine = arith::NegFOp::create(b, sine);
    relation = {math::CosOp::create(b, relation[0]), sine};
    break;
  }
  case ScoreFunction::ComplEx:
    // Re(h r conj(t)) is the scalar product of t with h r, and of h with
    // conj(r) t.
    if (!isHead)
      relation[1] = arith::NegFOp::create(b, relation[1]);
    break;
  }
  return {
      subtract(multiply(entity[0], relation[0]),
               multiply(entity[1], relation[1])),
      add(multiply(entity[0], relation[1]), multiply(entity[1], relation[0]))};
}

/// What an element adds to the sum. `isHead`: the candidate is the head.
Value ScoreLoops::emitTerm(const Number &query, const Number &candidate,
                           bool isHead) {
  switch (function) {
  case ScoreFunction::TransE: {
    Value difference =
        isHead ? add(candidate[0], query[0]) : subtract(query[0], candidate[0]);
    if (*op.getP() == 2)
      return multiply(difference, difference);
    return math::AbsFOp::create(b, difference);
  }
  case ScoreFunction::DistMult:
    return multiply(query[0], candidate[0]);
  case ScoreFunction::ComplEx:
    return add(multiply(query[0], candidate[0]),
               multiply(query[1], candidate[1]));
  case ScoreFunction::RotatE: {
    Value real = subtract(query[0], candidate[0]);
    Value imaginary = subtract(query[1], candidate[1]);
    return math::SqrtOp::create(
        b, add(multiply(real, real), multiply(imaginary, imaginary)));
  }
  }
  llvm_unreachable("every function is listed");
}

/// Sums the terms of all columns and stores the score.
void ScoreLoops::emitScore(function_ref<Value(Value)> term, ValueRange at) {
  Value score = b.loop(b.constant(0), b.constant(width), b.zero(sumType),
                       [&](Value column, ValueRange sum) -> SmallVector<Value> {
                         return {add(sum[0], term(column))};
                       })[0];
  if (function == ScoreFunction::TransE || function == ScoreFunction::RotatE) {
    if (op.getP() == 2)
      score = math::SqrtOp::create(b, score);
    double gamma = op.getGamma() ? op.getGamma()->convertToDouble() : 0;
    score = subtract(
        arith::ConstantOp::create(b, b.getFloatAttr(sumType, gamma)), score);
  }
  b.store(b.castFloat(score, elementType), op.getOut(), at);
}

LogicalResult ScoreOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder loops(getLoc(), builder);
  ScoreLoops(*this, loops).emit();
  return success();
}
