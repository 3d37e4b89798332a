//===- ExpandHalf.h - Convert f16 where the core cannot ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_EXPANDHALF_H
#define EMBER_LIB_TARGET_EXPANDHALF_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace ember {

/// Replaces conversions between f16 and f32 that `machine` has no instructions
/// for by integer operations.
void expandHalfConversions(llvm::Module &module,
                           const llvm::TargetMachine &machine);

} // namespace ember

#endif // EMBER_LIB_TARGET_EXPANDHALF_H
