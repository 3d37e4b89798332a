//===- Slc.h - The slc dialect -------------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLC_H
#define EMBER_DIALECT_SLC_IR_SLC_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "ember/Dialect/Slc/IR/SlcDialect.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Slc/IR/SlcOps.h.inc"

#endif // EMBER_DIALECT_SLC_IR_SLC_H
