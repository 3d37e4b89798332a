//===- RowPolicy.h - From an index to the row it names ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_EMB_IR_ROWPOLICY_H
#define EMBER_LIB_DIALECT_EMB_IR_ROWPOLICY_H

#include "LoopBuilder.h"

#include "ember/Dialect/Emb/IR/Emb.h"

namespace ember::emb {

/// What an operation's `oob` and padding make of an index. Construct it before
/// the loop, where the values that all indices share belong.
class RowPolicy {
public:
  /// `padding` is the row that takes no part, or null.
  RowPolicy(LoopBuilder &builder, Oob oob, mlir::Value rows,
            mlir::Value padding);

  struct Row {
    /// The row to read, if `keep` says so.
    mlir::Value number;
    /// An i1; null if every index is kept.
    mlir::Value keep;
  };

  /// Emits the arithmetic for one index. Padding is tested after clamping.
  Row apply(mlir::Value index) const;

private:
  LoopBuilder &b;
  Oob oob;
  mlir::Value padding;
  mlir::Value zero;
  mlir::Value lastRow;
};

} // namespace ember::emb

#endif // EMBER_LIB_DIALECT_EMB_IR_ROWPOLICY_H
