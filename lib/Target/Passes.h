//===- Passes.h - Passes private to the translation -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_PASSES_H
#define EMBER_LIB_TARGET_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ember {

/// dlc.take and the ops around it become scf and loads from the rings.
std::unique_ptr<mlir::Pass> createLowerQueuesPass();

/// dlc.fault becomes a call of the run time.
std::unique_ptr<mlir::Pass> createLowerFaultsPass();

/// Calls on several cores become calls of the run time.
std::unique_ptr<mlir::Pass> createLowerForksPass();

/// Copies between views become loops.
std::unique_ptr<mlir::Pass> createLowerCopiesPass();

/// Buffers of the memory spaces of slc become ordinary memory.
std::unique_ptr<mlir::Pass> createEraseMemorySpacesPass();

/// Functions of math become arithmetic.
std::unique_ptr<mlir::Pass> createExpandMathPass();

} // namespace ember

#endif // EMBER_LIB_TARGET_PASSES_H
