//===- Optimize.cpp - The one optimisation pipeline -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Optimize.h"

#include "TargetMachine.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace ember;

/// Lets a multiplication and an addition be one operation, and nothing else of
/// floating point: sums keep their order.
static void allowContraction(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    unsigned opcode = instruction.getOpcode();
    if (opcode == Instruction::FAdd || opcode == Instruction::FSub ||
        opcode == Instruction::FMul)
      instruction.setHasAllowContract(true);
  }
}

/// Whether a pass takes its turn. The facts that constraint elimination gathers
/// grow with every check of the host part, and its time with their square: of
/// 60 bags it took two thirds of the whole pipeline's.
static bool isWorthItsTime(StringRef pass, Any) {
  return pass != "ConstraintEliminationPass";
}

Error ember::optimizeForCore(Module &module, const CoreTarget &core) {
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(core);
  if (!machine)
    return machine.takeError();
  setTarget(module, **machine);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", core.cpu);
    function.addFnAttr("target-features", (*machine)->getTargetFeatureString());
    allowContraction(function);
  }

  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(isWorthItsTime);
  PassBuilder builder(machine->get(), tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, mam);

  std::string message;
  raw_string_ostream os(message);
  if (verifyModule(module, &os))
    return createStringError("broken LLVM IR: " + message);
  return Error::success();
}
