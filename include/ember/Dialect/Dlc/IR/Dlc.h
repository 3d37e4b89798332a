//===- Dlc.h - The dlc dialect -------------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLC_H
#define EMBER_DIALECT_DLC_IR_DLC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/Dlc/IR/DlcDialect.h.inc"
#include "ember/Dialect/Dlc/IR/DlcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Dlc/IR/DlcAttributes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Dlc/IR/DlcOps.h.inc"

#endif // EMBER_DIALECT_DLC_IR_DLC_H
