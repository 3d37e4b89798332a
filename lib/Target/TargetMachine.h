//===- TargetMachine.h - A core as LLVM's target machine --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_TARGETMACHINE_H
#define EMBER_LIB_TARGET_TARGETMACHINE_H

#include "ember/Target/CoreTarget.h"

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace ember {

/// Fails on what `checkCore` refuses.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CoreTarget &core);

/// Makes `module` one for `machine`: its triple, its data layout, and nothing
/// in it that the core could only call a library for.
void setTarget(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace ember

#endif // EMBER_LIB_TARGET_TARGETMACHINE_H
