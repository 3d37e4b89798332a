//===- Pipelines.h - Ember's compilation, stage by stage --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_PIPELINES_PIPELINES_H
#define EMBER_PIPELINES_PIPELINES_H

#include "ember/Pipelines/Driver.h"

#include "mlir/Pass/PassOptions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace ember {

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> machine{
      *this, "machine",
      llvm::cl::desc("Name of a shipped machine, or path of a machine file"),
      llvm::cl::init(CompileOptions().machine)};
  ListOption<std::string> overrides{
      *this, "set",
      llvm::cl::desc("Values of the machine file to replace, key=value")};
  Option<int> level{*this, "level",
                    llvm::cl::desc("Optimisation level, 0 to 4"),
                    llvm::cl::init(CompileOptions().level)};
  Option<int> prefetchDistance{
      *this, "prefetch-distance",
      llvm::cl::desc("Machines without access units: lookups ahead that rows "
                     "are prefetched, 0 is off"),
      llvm::cl::init(CompileOptions().prefetchDistance)};
};

/// Reports an option that is not valid.
using EmitError = llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)>;

/// One step of the compilation: `build` adds the passes that bring a module
/// from the stage before to the one named.
struct Stage {
  llvm::StringRef name;
  llvm::LogicalResult (*build)(mlir::OpPassManager &, const PipelineOptions &,
                               EmitError);
};

/// The stages of a machine with access units: emb, bufferized, scf, decoupled,
/// slc, dlc, split. Without: emb, ..., slc, coupled.
llvm::ArrayRef<Stage> stages(bool accessUnit);

/// All stages in order; what follows `slc` is chosen by the module's target.
llvm::LogicalResult buildCompilePipeline(mlir::OpPassManager &pm,
                                         const PipelineOptions &options,
                                         EmitError emitError);

/// Registers `ember-compile`.
void registerPipelines();

} // namespace ember

#endif // EMBER_PIPELINES_PIPELINES_H
