//===- Optimize.h - The one pipeline from LLVM IR to objects ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_OPTIMIZE_H
#define EMBER_TARGET_OPTIMIZE_H

#include "ember/Target/CoreTarget.h"

namespace llvm {
class Module;
class raw_pwrite_stream;
} // namespace llvm

namespace ember {

/// Optimises `module` for `core`, never for the machine this runs on: the same
/// pipeline serves the simulator and `ember-translate`, so that what is
/// simulated is what is emitted. Sets triple, data layout and the attributes of
/// functions.
llvm::Error optimizeForCore(llvm::Module &module, const CoreTarget &core);

/// Writes `module` as a relocatable, position-independent object for `core`.
llvm::Error emitObject(llvm::Module &module, const CoreTarget &core,
                       llvm::raw_pwrite_stream &stream);

} // namespace ember

#endif // EMBER_TARGET_OPTIMIZE_H
