//===- RunTimeChecks.h - What only the run time knows -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_DLC_TRANSFORMS_RUNTIMECHECKS_H
#define EMBER_LIB_DIALECT_DLC_TRANSFORMS_RUNTIMECHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember::dlc {

/// Makes the ordinary code in `function` report steps of loops and sizes of
/// buffers that are not allowed, and go on without the loop or with an empty
/// buffer.
void addRunTimeChecks(mlir::func::FuncOp function);

} // namespace ember::dlc

#endif // EMBER_LIB_DIALECT_DLC_TRANSFORMS_RUNTIMECHECKS_H
