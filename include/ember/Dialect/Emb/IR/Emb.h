//===- Emb.h - The emb dialect -------------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMB_H
#define EMBER_DIALECT_EMB_IR_EMB_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "ember/Dialect/Emb/IR/EmbDialect.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Emb/IR/EmbOps.h.inc"

#endif // EMBER_DIALECT_EMB_IR_EMB_H
