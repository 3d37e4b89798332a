//===- Pipeline.cpp - The optimisation levels -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace ember::slc;

LogicalResult ember::slc::buildOptimizePipeline(
    OpPassManager &manager, int level,
    function_ref<LogicalResult(const Twine &)> emitError) {
  if (level < 0 || level > maxLevel)
    return emitError("there is no optimization level " + Twine(level) +
                     ": levels are 0 to " + Twine(maxLevel));
  if (level >= 2)
    manager.addNestedPass<KernelOp>(createSlcFormChunks());
  if (level >= 4)
    manager.addNestedPass<KernelOp>(createSlcStreamCopies());
  if (level >= 1)
    manager.addNestedPass<KernelOp>(createSlcVectorize());
  if (level >= 4) {
    manager.addNestedPass<KernelOp>(createSlcPromoteLocals());
    manager.addNestedPass<KernelOp>(createSlcCountLoops());
  }
  if (level >= 3)
    manager.addNestedPass<KernelOp>(createSlcAlignQueues());
  manager.addPass(createSlcSplitCores());
  return success();
}

namespace {
struct OptimizeOptions : PassPipelineOptions<OptimizeOptions> {
  Option<int> level{*this, "level", llvm::cl::desc("Optimization level"),
                    llvm::cl::init(maxLevel)};
};
} // namespace

void ember::slc::registerOptimizePipeline() {
  registerPassPipeline(
      "slc-optimize", "Optimize slc kernels: vectors, chunks, queues",
      [](OpPassManager &manager, StringRef text,
         function_ref<LogicalResult(const Twine &)> emitError) {
        OptimizeOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        return buildOptimizePipeline(manager, options.level, emitError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(OptimizeOptions());
      });
}
