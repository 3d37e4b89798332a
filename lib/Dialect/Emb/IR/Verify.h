//===- Verify.h - Checks shared by the verifiers of emb ops -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_EMB_IR_VERIFY_H
#define EMBER_LIB_DIALECT_EMB_IR_VERIFY_H

#include "ember/Dialect/Emb/IR/Emb.h"

namespace ember::emb {

/// Checks that `mode` is one of those that the operation has.
llvm::LogicalResult verifyMode(mlir::Operation *op, Mode mode,
                               llvm::ArrayRef<Mode> allowed);

/// Checks that `value`, called `name` in messages, has the given rank.
llvm::LogicalResult verifyRank(mlir::Operation *op, llvm::StringRef name,
                               mlir::Value value, int64_t rank);

/// Checks that `value`, called `name` in messages, has elements of the type of
/// the table's.
llvm::LogicalResult verifyElementType(mlir::Operation *op, llvm::StringRef name,
                                      mlir::Value value, mlir::Value table);

/// Checks that `value`, called `name` in messages, has the given shape;
/// dynamic dimensions match everything.
llvm::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name,
                                mlir::Value value,
                                llvm::ArrayRef<int64_t> shape);

/// Checks that `padding`, if given, names a row of `table` when its number of
/// rows is static.
llvm::LogicalResult verifyPadding(mlir::Operation *op,
                                  std::optional<int64_t> padding,
                                  mlir::Value table);

/// Checks that the rows of `value`, called `name` in messages, are whole blocks
/// of `block` when their number is static.
llvm::LogicalResult verifyBlocks(mlir::Operation *op, llvm::StringRef name,
                                 mlir::Value value, int64_t block);

} // namespace ember::emb

#endif // EMBER_LIB_DIALECT_EMB_IR_VERIFY_H
