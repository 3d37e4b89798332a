//===- AccessProgram.h - Code that programs the access unit -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_TRANSFORMS_ACCESSPROGRAM_H
#define EMBER_LIB_DIALECT_DLC_TRANSFORMS_ACCESSPROGRAM_H

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace ember::dlc {

/// Appends to `function`, whose first argument is the context and whose others
/// are those of `kernel`, the calls that program the access unit with the
/// access side of `kernel`, the `number`-th of its module, and start it.
/// Returns the site of each operation of the program, as one of `launcher`.
mlir::SmallVector<mlir::Attribute>
emitAccessProgram(KernelOp kernel, unsigned number, llvm::StringRef launcher,
                  mlir::func::FuncOp function);

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_TRANSFORMS_ACCESSPROGRAM_H
