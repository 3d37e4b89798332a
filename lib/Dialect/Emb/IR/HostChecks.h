//===- HostChecks.h - Checks before a kernel is launched --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The host part of the lowering of an emb operation. A check that finds bad
// data executes `dlc.fault`, of which the first one executed counts, and clears
// the flag `ok()` under which the nest runs. Row indices are not checked here:
// the access unit does that as it reads (but see `checkIndices`).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_EMB_IR_HOSTCHECKS_H
#define EMBER_LIB_DIALECT_EMB_IR_HOSTCHECKS_H

#include "LoopBuilder.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Emb/IR/Emb.h"

namespace ember::emb {

class HostChecks {
public:
  explicit HostChecks(LoopBuilder &builder)
      : b(builder), flag(builder.constantFlag(true)) {}

  /// Whether nothing bad has been found so far, an i1.
  mlir::Value ok() const { return flag; }

  /// Dimension `dimension` of `memref`, called `name` in the operation, must
  /// have the size `expected`.
  void checkSize(llvm::StringRef name, mlir::Value memref, int64_t dimension,
                 mlir::Value expected);

  /// `padding` must be within -rows..rows-1; returns it counted from the start.
  mlir::Value checkPadding(int64_t padding, mlir::Value rows);

  /// There must be offsets if `needed` holds.
  void checkNotEmpty(const BoundsOperand &offsets, mlir::Value count,
                     mlir::Value needed);

  /// The `count` elements of `bounds`, which stand for the operand `offsets`,
  /// must start at 0, not decrease, and end at or before `limit`.
  void checkOffsets(const BoundsOperand &offsets, mlir::Value bounds,
                    mlir::Value count, mlir::Value limit);

  /// The first `count` elements of `indices`, a memref of rank 1 that stands
  /// for the operand `index`, must be legal by the operand's policy. For rows
  /// without columns, which nobody reads and so nobody checks.
  void checkIndices(const IndexOperand &index, mlir::Value indices,
                    mlir::Value count, mlir::Value rows);

private:
  /// Reports a fault if `bad`.
  void faultIf(mlir::Value bad, dlc::FaultKind kind, llvm::StringRef argument,
               mlir::Value position, mlir::Value value, mlir::Value limit);
  /// The same, and clears `ok()`.
  void require(mlir::Value good, dlc::FaultKind kind, llvm::StringRef argument,
               mlir::Value position, mlir::Value value, mlir::Value limit);

  LoopBuilder &b;
  mlir::Value flag;
};

/// The user's name of an operand: `ember.name` of the function argument it is,
/// or else `name`, what the operation calls it.
llvm::StringRef getUserName(llvm::StringRef name, mlir::Value operand);

} // namespace ember::emb

#endif // EMBER_LIB_DIALECT_EMB_IR_HOSTCHECKS_H
