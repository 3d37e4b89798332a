//===- Arithmetic.h - slc.alu_stream as arith -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_ARITHMETIC_H
#define EMBER_DIALECT_SLC_TRANSFORMS_ARITHMETIC_H

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"

namespace ember::slc {

/// The operation of arith that does what `alu` does, on ordinary `operands`.
mlir::Value createArithmetic(mlir::OpBuilder &builder, AluStreamOp alu,
                             mlir::ValueRange operands);

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_TRANSFORMS_ARITHMETIC_H
