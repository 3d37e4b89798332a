//===- SlcChecks.h - What loops, ifs and callbacks share --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_IR_SLCCHECKS_H
#define EMBER_LIB_DIALECT_SLC_IR_SLCCHECKS_H

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Operation.h"

namespace ember::slc {

/// Checks that execute values, and not streams or chunks, are handed on.
mlir::LogicalResult verifyExecuteTypes(mlir::Operation *op,
                                       mlir::TypeRange types,
                                       llvm::StringRef what);

/// results ::= (`->` type-list)?
void printResults(mlir::OpAsmPrinter &printer, mlir::TypeRange types);

} // namespace ember::slc

#endif // EMBER_LIB_DIALECT_SLC_IR_SLCCHECKS_H
