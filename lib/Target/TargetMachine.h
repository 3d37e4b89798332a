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
class TargetMachine;
} // namespace llvm

namespace ember {

/// Fails on what `checkCore` refuses.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CoreTarget &core);

} // namespace ember

#endif // EMBER_LIB_TARGET_TARGETMACHINE_H
