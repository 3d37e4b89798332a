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

  /// The rows of `memref`, called `name` in the operation's declaration, must
  /// be whole blocks of `block`; returns the number of blocks.
  mlir::Value checkBlocks(llvm::StringRef name, mlir::Value memref,
                          int64_t block);

  /// `padding` must be within -rows..rows-1; returns it counted from the start.
  mlir::Value checkPadding(int64_t padding, mlir::Value rows);

  /// There must be offsets if `needed` holds.
  void checkNotEmpty(const BoundsOperand &offsets, mlir::Value count,
                     mlir::Value needed);

  /// The `count` elements of `bounds`, which stand for the operand `offsets`,
  /// must start at 0, not decrease, and end at or before `limit`.
  void checkOffsets(const BoundsOperand &offsets, mlir::Value bounds,
                    mlir::Value count, mlir::Value limit);

  /// The same for the `count` elements of the operand itself, which must not be
  /// none and must end at `limit`.
  void checkRowPointers(const BoundsOperand &pointers, mlir::Value count,
                        mlir::Value limit);

  /// The number of segments, which `operand` holds, must not be negative.
  void checkSegmentCount(llvm::StringRef name, mlir::Value operand,
                         mlir::Value segments);

  /// The `count` elements of the operand must not decrease, start at 0 or above
  /// and, if the number of segments is given, be below it.
  void checkSegmentIds(const BoundsOperand &ids, mlir::Value count,
                       mlir::Value segments);

  /// The first `count` elements of `indices`, a memref of rank 1 that stands
  /// for the operand `index`, must be legal by the operand's policy. For rows
  /// without columns, which nobody reads and so nobody checks.
  void checkIndices(const IndexOperand &index, mlir::Value indices,
                    mlir::Value count, mlir::Value rows);

private:
  /// What is wrong with values that must not decrease: one below the one before
  /// it; a first one of which `badFirst` holds against 0; one of which
  /// `badLast` holds against the limit, if there is a limit.
  struct Ascending {
    llvm::StringRef argument;
    dlc::FaultKind decreasingKind;
    mlir::arith::CmpIPredicate badFirst;
    dlc::FaultKind firstKind;
    mlir::arith::CmpIPredicate badLast;
    dlc::FaultKind lastKind;
    mlir::Value limit;
  };
  void checkAscending(const Ascending &rule, mlir::Value values,
                      mlir::Value count);

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
