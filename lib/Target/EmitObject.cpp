//===- EmitObject.cpp - LLVM's code generators ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Optimize.h"

#include "TargetMachine.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace ember;

Error ember::emitObject(Module &module, const CoreTarget &core,
                        raw_pwrite_stream &stream) {
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(core);
  if (!machine)
    return machine.takeError();
  setTarget(module, **machine);
  legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot write objects for '" + core.triple +
                             "'");
  passes.run(module);
  return Error::success();
}
