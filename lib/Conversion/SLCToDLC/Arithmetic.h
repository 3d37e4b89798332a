//===- Arithmetic.h - slc.alu_stream as arith -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_SLCTODLC_ARITHMETIC_H
#define EMBER_LIB_CONVERSION_SLCTODLC_ARITHMETIC_H

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"

namespace ember {

/// The operation of `alu` on ordinary `operands`, the same on either side.
mlir::Value emitAlu(mlir::OpBuilder &builder, slc::AluStreamOp alu,
                    mlir::ValueRange operands);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_SLCTODLC_ARITHMETIC_H
