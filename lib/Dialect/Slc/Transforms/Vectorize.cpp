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
// Loops inside callbacks are treated alike. A value that such a loop reduces
// to,
//
//   %s = scf.for %d = ... iter_args(%a = %init) { yield %a + %q[%d] * %c[%d] }
//
// is reduced lane by lane, and then in halves:
//
//   %v = scf.for %d = ... step %c16 iter_args(%a = 0) { yield %a + ... }
//   %w = %v[0..7] + %v[8..15]                 : vector<8xf32>
//   ...
//   %s = %init + %w[0]
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
  if (row.callbacks.size() != 1)
    return;
  CallbackOp callback = row.callbacks.front();
  Block &code = callback.getBody().front();
  SmallVector<CarriedValue> carried;
  for (auto [found, left] :
       llvm::zip(row.loop.getIterArgs(),
                 row.loop.getBody().front().getTerminator()->getOperands())) {
    auto result = dyn_cast<OpResult>(left);
    if (!result || result.getOwner() != callback || !result.hasOneUse())
      return;
    carried.push_back(
        {found, code.getTerminator()->getOperand(result.getResultNumber())});
  }
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
  std::optional<Widening> widening =
      Widening::create(code, counters, elements, carried);
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
  SmallVector<Value> neutral = constants.get(widening->getNeutral(lanes));
  SmallVector<Type> types(ValueRange(neutral).getTypes());
  auto emit = [&](Value base, int64_t valid,
                  ValueRange partial) -> SmallVector<Value> {
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
    auto wide = CallbackOp::create(builder, callback.getLoc(), types, operands);
    IRMapping vectors;
    for (auto [stream, argument] :
         llvm::zip(streams, wide.getBody().getArguments()))
      vectors.map(stream.first, argument);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&wide.getBody().front());
    SmallVector<Value> next =
        widening->emit(builder, base, lanes, valid, vectors, partial);
    if (!next.empty())
      YieldOp::create(builder, callback.getLoc(), next);
    return SmallVector<Value>(wide.getResults());
  };
  SmallVector<Value> partial;
  forEachVector(
      row.lower, row.upper, lanes,
      [&](int64_t upper) {
        auto loop = ForOp::create(
            builder, row.loop.getLoc(), row.loop.getLabel(),
            row.loop.getLower(), constants.getIndex(upper),
            constants.getIndex(lanes), neutral, row.loop.getParallel());
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(&loop.getBody().front());
        SmallVector<Value> next =
            emit(loop.getCounter(), lanes, ValueRange(loop.getIterArgs()));
        if (!next.empty())
          YieldOp::create(builder, row.loop.getLoc(), next);
        partial.assign(loop.result_begin(), loop.result_end());
      },
      [&](int64_t base, int64_t valid) {
        partial = emit(constants.getIndex(base), valid, partial);
      });
  if (!partial.empty()) {
    auto last = CallbackOp::create(builder, callback.getLoc(),
                                   row.loop.getResultTypes(), ValueRange{});
    builder.setInsertionPointToEnd(&last.getBody().front());
    YieldOp::create(
        builder, callback.getLoc(),
        widening->emitResults(builder, partial, row.loop.getInits()));
    row.loop->replaceAllUsesWith(last.getResults());
  }
  row.loop.erase();
}

/// A loop inside a callback.
static void vectorize(scf::ForOp loop, TargetShape target,
                      ConstantPool &constants) {
  APInt lower, upper;
  if (!loop.getInductionVar().getType().isIndex() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_One()) || !lower.slt(upper))
    return;
  SmallVector<CarriedValue> carried;
  for (auto [found, left] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    carried.push_back({found, left});
  std::optional<Widening> widening =
      Widening::create(*loop.getBody(), loop.getInductionVar(), {}, carried);
  if (!widening || widening->getBits() == 0)
    return;
  OpBuilder builder(loop);
  int64_t lanes = target.getLanes(widening->getBits());
  SmallVector<Value> neutral = constants.get(widening->getNeutral(lanes));
  SmallVector<Value> partial;
  forEachVector(
      lower.getSExtValue(), upper.getSExtValue(), lanes,
      [&](int64_t upper) {
        auto wide = scf::ForOp::create(
            builder, loop.getLoc(), loop.getLowerBound(),
            constants.getIndex(upper), constants.getIndex(lanes), neutral);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(wide.getBody());
        SmallVector<Value> next =
            widening->emit(builder, wide.getInductionVar(), lanes, lanes, {},
                           wide.getRegionIterArgs());
        if (!next.empty())
          scf::YieldOp::create(builder, loop.getLoc(), next);
        partial.assign(wide.result_begin(), wide.result_end());
      },
      [&](int64_t base, int64_t valid) {
        partial = widening->emit(builder, constants.getIndex(base), lanes,
                                 valid, {}, partial);
      });
  loop->replaceAllUsesWith(
      widening->emitResults(builder, partial, loop.getInitArgs()));
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
