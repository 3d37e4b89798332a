//===- Vectorize.cpp - Stream and compute machine vectors -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//   slc.for @l2 %d = %c0 to %c100 step %c1 {
//     %x = slc.mem_stream %T[%i, %d] : ... -> !slc.stream<f32>
//     slc.callback(%at = %d : index, %v = %x : f32) { acc[%at] += %v } }
//     ==>
//   slc.for @l2 %d = %c0 to %c96 step %c16 {
//     %x = slc.mem_stream %T[%i, %d] : ... -> !slc.stream<vector<16xf32>>
//     slc.callback(%at = %d : index, %v = %x : vector<16xf32>) { acc[%at ..] +=
//     %v } }
//   %x = slc.mem_stream %T[%i, %c96] valid 4 : ... ->
//   !slc.stream<vector<16xf32>> slc.callback(%v = %x : vector<16xf32>) {
//   acc[%c96 ..] += %v under a mask }
//
// Loops inside callbacks are treated alike.
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"
#include "Widen.h"

#include "ember/Dialect/Slc/Transforms/Passes.h"
#include "ember/Dialect/Slc/Transforms/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCVECTORIZE
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember::slc;

/// The vectors of iterations [lower, upper): a loop over whole vectors if there
/// are several, one by itself otherwise, and a rest.
static void
forEachVector(int64_t lower, int64_t upper, int64_t lanes,
              function_ref<void(int64_t upper)> emitLoop,
              function_ref<void(int64_t base, int64_t valid)> emit) {
  int64_t whole = (upper - lower) / lanes * lanes;
  if (whole > lanes)
    emitLoop(lower + whole);
  else if (whole == lanes)
    emit(lower, lanes);
  if (int64_t rest = upper - lower - whole)
    emit(lower + whole, rest);
}

/// A loop of the access side.
static void vectorize(RowLoop row, TargetShape target,
                      ConstantPool &constants) {
  if (row.callbacks.size() != 1 || row.loop.getNumResults() ||
      row.callbacks.front().getNumResults())
    return;
  CallbackOp callback = row.callbacks.front();
  Block &code = callback.getBody().front();
  SmallVector<Value> counters, elements;
  SmallVector<std::pair<BlockArgument, MemStreamOp>> streams;
  for (auto [argument, operand] :
       llvm::zip(code.getArguments(), callback.getOperands())) {
    if (operand == row.loop.getCounter()) {
      counters.push_back(argument);
    } else if (auto load = operand.getDefiningOp<MemStreamOp>();
               llvm::is_contained(row.rows, load)) {
      elements.push_back(argument);
      streams.emplace_back(argument, load);
    }
  }
  std::optional<Widening> widening = Widening::create(code, counters, elements);
  if (!widening)
    return;
  hoistInvariant(row);
  // What is the same in all iterations is taken once, at its own place.
  for (auto [argument, operand] :
       llvm::zip(code.getArguments(), callback.getOperands()))
    if (operand != row.loop.getCounter() &&
        !llvm::is_contained(elements, argument))
      argument.replaceAllUsesWith(operand);

  OpBuilder builder(row.loop);
  int64_t lanes = target.getLanes(widening->getBits());
  auto emit = [&](Value base, int64_t valid) {
    SmallVector<Value> operands;
    for (auto [argument, load] : streams) {
      SmallVector<Value> indices(load.getIndices());
      indices.back() = base;
      auto vector = VectorType::get(lanes, argument.getType());
      operands.push_back(MemStreamOp::create(
          builder, load.getLoc(), StreamType::get(builder.getContext(), vector),
          load.getMemref(), indices,
          valid == lanes ? IntegerAttr() : builder.getI64IntegerAttr(valid)));
    }
    auto wide =
        CallbackOp::create(builder, callback.getLoc(), TypeRange{}, operands);
    IRMapping vectors;
    for (auto [stream, argument] :
         llvm::zip(streams, wide.getBody().getArguments()))
      vectors.map(stream.first, argument);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&wide.getBody().front());
    widening->emit(builder, base, lanes, valid, vectors);
  };
  forEachVector(
      row.lower, row.upper, lanes,
      [&](int64_t upper) {
        auto loop = ForOp::create(
            builder, row.loop.getLoc(), row.loop.getLabel(),
            row.loop.getLower(), constants.getIndex(upper),
            constants.getIndex(lanes), ValueRange{}, row.loop.getParallel());
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(&loop.getBody().front());
        emit(loop.getCounter(), lanes);
      },
      [&](int64_t base, int64_t valid) {
        emit(constants.getIndex(base), valid);
      });
  row.loop.erase();
}

/// A loop inside a callback.
static void vectorize(scf::ForOp loop, TargetShape target,
                      ConstantPool &constants) {
  APInt lower, upper;
  if (loop.getNumResults() || !loop.getInductionVar().getType().isIndex() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_One()) || !lower.slt(upper))
    return;
  std::optional<Widening> widening =
      Widening::create(*loop.getBody(), loop.getInductionVar(), {});
  if (!widening || widening->getBits() == 0)
    return;
  OpBuilder builder(loop);
  int64_t lanes = target.getLanes(widening->getBits());
  forEachVector(
      lower.getSExtValue(), upper.getSExtValue(), lanes,
      [&](int64_t upper) {
        auto wide = scf::ForOp::create(
            builder, loop.getLoc(), loop.getLowerBound(),
            constants.getIndex(upper), constants.getIndex(lanes));
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(wide.getBody());
        widening->emit(builder, wide.getInductionVar(), lanes, lanes, {});
      },
      [&](int64_t base, int64_t valid) {
        widening->emit(builder, constants.getIndex(base), lanes, valid, {});
      });
  loop.erase();
}

namespace {
struct Vectorize : ember::slc::impl::SlcVectorizeBase<Vectorize> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    TargetShape target = TargetShape::lookup(kernel);
    SmallVector<RowLoop> rows;
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loops.push_back(loop);
      else if (auto access = dyn_cast<ForOp>(op))
        if (std::optional<RowLoop> row = matchRowLoop(access))
          rows.push_back(*row);
    });
    ConstantPool constants(kernel);
    for (scf::ForOp loop : loops)
      vectorize(loop, target, constants);
    for (RowLoop row : rows)
      vectorize(row, target, constants);
    takeStreams(kernel);
    eraseDeadCode(kernel);
  }
};
} // namespace
