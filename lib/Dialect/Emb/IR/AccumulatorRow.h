//===- AccumulatorRow.h - Where a row of results adds up --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_EMB_IR_ACCUMULATORROW_H
#define EMBER_LIB_DIALECT_EMB_IR_ACCUMULATORROW_H

#include "LoopBuilder.h"

namespace ember::emb {

/// A row of `out` while it is computed: itself or, if its elements are narrower
/// than f32, a private row of f32 that is rounded into it once. Each method
/// emits a loop over the columns.
class AccumulatorRow {
public:
  /// Row number `row` of `out`, with `columns` columns.
  AccumulatorRow(LoopBuilder &builder, mlir::Value out, mlir::Value row,
                 int64_t columns);

  /// What elements of type `element` are computed in.
  static mlir::FloatType getComputeType(mlir::Type element);
  mlir::FloatType getType() const { return type; }

  /// row[d] = value
  void fill(mlir::Value value);

  /// row[d] = body(row[d], d)
  void update(llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

  /// out[d] = body(row[d]), or row[d] without a body
  void finish(llvm::function_ref<mlir::Value(mlir::Value)> body = nullptr);

private:
  void forEachColumn(llvm::function_ref<void(mlir::Value)> body);
  llvm::SmallVector<mlir::Value> at(mlir::Value column) const;

  LoopBuilder &b;
  mlir::Value out, row;
  int64_t columns;
  mlir::FloatType type;
  /// Holds the row; `prefix` are the indices but for the column.
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> prefix;
};

} // namespace ember::emb

#endif // EMBER_LIB_DIALECT_EMB_IR_ACCUMULATORROW_H
