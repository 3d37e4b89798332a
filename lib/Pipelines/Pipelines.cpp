//===- Pipelines.cpp - Ember's compilation, stage by stage ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Pipelines/Pipelines.h"

#include "ember/Conversion/Passes.h"
#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Dlc/Transforms/Passes.h"
#include "ember/Dialect/Emb/Transforms/Passes.h"
#include "ember/Dialect/Slc/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace ember {
namespace {

LogicalResult buildAttachTarget(OpPassManager &pm,
                                const PipelineOptions &options, EmitError) {
  dlc::EmberAttachTargetOptions target;
  target.machine = options.machine;
  target.overrides.assign(options.overrides.begin(), options.overrides.end());
  pm.addPass(dlc::createEmberAttachTarget(target));
  return success();
}

LogicalResult buildBufferize(OpPassManager &pm, const PipelineOptions &,
                             EmitError) {
  pm.addPass(emb::createEmberBufferize());
  pm.addPass(createCanonicalizerPass());
  return success();
}

LogicalResult buildLoops(OpPassManager &pm, const PipelineOptions &,
                         EmitError) {
  pm.addPass(createConvertEmbToSCF());
  // No canonicalisation before the loops are decoupled: it would take away a
  // loop of one iteration, and with it the kernel.
  pm.addPass(createCSEPass());
  return success();
}

LogicalResult buildDecouple(OpPassManager &pm, const PipelineOptions &,
                            EmitError) {
  pm.addPass(createConvertSCFToSLC());
  return success();
}

LogicalResult buildOptimize(OpPassManager &pm, const PipelineOptions &options,
                            EmitError emitError) {
  return slc::buildOptimizePipeline(pm, options.level, emitError);
}

LogicalResult buildDlc(OpPassManager &pm, const PipelineOptions &, EmitError) {
  pm.addPass(createConvertSLCToDLC());
  return success();
}

void addSplit(OpPassManager &pm) {
  pm.addPass(dlc::createDlcSplit());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

LogicalResult buildSplit(OpPassManager &pm, const PipelineOptions &,
                         EmitError) {
  addSplit(pm);
  return success();
}

LogicalResult buildCoupled(OpPassManager &pm, const PipelineOptions &options,
                           EmitError) {
  ConvertSLCToSCFOptions coupled;
  coupled.prefetchDistance = options.prefetchDistance;
  pm.addPass(createConvertSLCToSCF(coupled));
  addSplit(pm);
  return success();
}

// Stages that both kinds of machine share come first in both tables.
constexpr Stage kDecoupledStages[] = {
    {"emb", buildAttachTarget}, {"bufferized", buildBufferize},
    {"scf", buildLoops},        {"decoupled", buildDecouple},
    {"slc", buildOptimize},     {"dlc", buildDlc},
    {"split", buildSplit},
};
constexpr Stage kCoupledStages[] = {
    {"emb", buildAttachTarget}, {"bufferized", buildBufferize},
    {"scf", buildLoops},        {"decoupled", buildDecouple},
    {"slc", buildOptimize},     {"coupled", buildCoupled},
};
constexpr size_t kSharedStages = 5;

/// Runs the stages behind `slc` that suit the target of the module.
struct LowerKernels : PassWrapper<LowerKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerKernels)

  LowerKernels() = default;
  LowerKernels(const LowerKernels &) {}
  explicit LowerKernels(int distance) { prefetchDistance = distance; }

  StringRef getName() const override { return "EmberLowerKernels"; }
  StringRef getArgument() const override { return "ember-lower-kernels"; }
  StringRef getDescription() const override {
    return "Lower slc kernels to what the module's target executes";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    for (bool accessUnit : {false, true}) {
      OpPassManager pm(ModuleOp::getOperationName());
      build(pm, accessUnit);
      pm.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    auto target = dlc::TargetAttr::lookup(getOperation());
    if (!target) {
      getOperation().emitError("has no target; run ember-attach-target before");
      return signalPassFailure();
    }
    OpPassManager pm(ModuleOp::getOperationName());
    build(pm, target.getAccessUnit());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

  void build(OpPassManager &pm, bool accessUnit) const {
    PipelineOptions options;
    options.prefetchDistance = prefetchDistance.getValue();
    auto unused = [](const Twine &) { return failure(); };
    for (const Stage &stage : stages(accessUnit).drop_front(kSharedStages))
      (void)stage.build(pm, options, unused); // these take no user's choice
  }

  Pass::Option<int> prefetchDistance{
      *this, "prefetch-distance",
      llvm::cl::desc("Machines without access units: lookups ahead that rows "
                     "are prefetched, 0 is off"),
      llvm::cl::init(CompileOptions().prefetchDistance)};
};

} // namespace

llvm::ArrayRef<Stage> stages(bool accessUnit) {
  if (accessUnit)
    return kDecoupledStages;
  return kCoupledStages;
}

LogicalResult buildCompilePipeline(OpPassManager &pm,
                                   const PipelineOptions &options,
                                   EmitError emitError) {
  for (const Stage &stage :
       stages(/*accessUnit=*/true).take_front(kSharedStages))
    if (failed(stage.build(pm, options, emitError)))
      return failure();
  pm.addPass(std::make_unique<LowerKernels>(options.prefetchDistance));
  return success();
}

void registerPipelines() {
  PassRegistration<LowerKernels>();
  registerPassPipeline(
      "ember-compile",
      "Compile embedding operations for a machine, from emb to its parts",
      [](OpPassManager &pm, StringRef text, EmitError emitError) {
        PipelineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        return buildCompilePipeline(pm, options, emitError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(PipelineOptions());
      });
}

} // namespace ember
