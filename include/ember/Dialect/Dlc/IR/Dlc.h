//===- Dlc.h - The dlc dialect ----------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLC_H
#define EMBER_DIALECT_DLC_IR_DLC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/Dlc/IR/DlcDialect.h.inc"
#include "ember/Dialect/Dlc/IR/DlcEnums.h.inc"

namespace ember::dlc {
/// The queues between the access unit and the core.
struct QueueResource : mlir::SideEffects::Resource::Base<QueueResource> {
  llvm::StringRef getName() final { return "queues"; }
};
} // namespace ember::dlc

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Dlc/IR/DlcAttributes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Dlc/IR/DlcOps.h.inc"

namespace ember::dlc {

/// The type under which the core takes a pushed value: memory of the queue for
/// a row, else the value's own type. Null if `type` cannot be sent.
mlir::Type getTakenType(mlir::Type type);

/// Bytes an element taken as `type` occupies in a queue: a multiple of 8, and
/// at least 8.
int64_t getElementBytes(mlir::Type type);

/// Whether `op` takes something off a queue, the execute side's ops besides
/// dlc.yield.
bool isExecuteSideOp(mlir::Operation *op);

/// Whether the access unit can execute `op`, an operation of arith.
bool isAccessUnitArithmetic(mlir::Operation *op);

/// Checks that what the access side of `kernel` sends is what its execute side
/// takes, in one order over all queues.
mlir::LogicalResult verifySidesMatch(KernelOp kernel);

} // namespace ember::dlc

#endif // EMBER_DIALECT_DLC_IR_DLC_H
