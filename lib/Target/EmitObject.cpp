//===- EmitObject.cpp - LLVM's code generators ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TargetMachine.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace ember;

/// Makes the code generators known to LLVM, once.
static void initializeTargets() {
  static bool done = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)done;
}

Expected<std::unique_ptr<TargetMachine>>
ember::createTargetMachine(const CoreTarget &core) {
  initializeTargets();
  Triple triple(Triple::normalize(core.triple));
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError("triple '" + core.triple + "': " + message);
  std::unique_ptr<MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!core.cpu.empty() && (!known || !known->isCPUStringValid(core.cpu)))
    return createStringError("cpu '" + core.cpu + "' is not one of " +
                             triple.getArchName());
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, core.cpu, core.features, TargetOptions(), Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM has no code generator for '" + core.triple +
                             "'");
  return std::move(machine);
}

Error ember::emitObject(Module &module, const CoreTarget &core,
                        raw_pwrite_stream &stream) {
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(core);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot write objects for '" + core.triple +
                             "'");
  passes.run(module);
  return Error::success();
}
