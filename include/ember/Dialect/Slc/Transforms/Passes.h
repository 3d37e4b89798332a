//===- Passes.h - Passes on the slc dialect ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H

#include "ember/Dialect/Slc/IR/Slc.h"
#include "ember/Dialect/Slc/Transforms/Levels.h"

#include "mlir/Pass/Pass.h"

namespace ember::slc {

#define GEN_PASS_DECL
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"

/// Adds the passes of optimisation level `level` to `manager`, which runs on a
/// module: 0 none, 1 vectors, 2 rows as chunks, 3 aligned queues, 4 copies by
/// the access unit; each level includes those below. Reports an unknown level
/// to `emitError`.
mlir::LogicalResult buildOptimizePipeline(
    mlir::OpPassManager &manager, int level,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> emitError);

/// Registers the pipeline above as `slc-optimize`, with option `level`.
void registerOptimizePipeline();

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_TRANSFORMS_PASSES_H
