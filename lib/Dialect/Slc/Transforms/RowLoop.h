//===- RowLoop.h - Loops over the elements of rows --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_ROWLOOP_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_ROWLOOP_H

#include "ember/Dialect/Slc/IR/Slc.h"

namespace ember::slc {

/// An innermost loop that advances by one, between constants, and holds only
/// loads and callbacks. Each load reads either the element of a row that the
/// counter names, or the same element every time.
struct RowLoop {
  ForOp loop;
  int64_t lower, upper; ///< lower < upper
  llvm::SmallVector<MemStreamOp> rows, invariant;
  llvm::SmallVector<CallbackOp> callbacks;

  int64_t getLength() const { return upper - lower; }
};

std::optional<RowLoop> matchRowLoop(ForOp loop);

/// Moves the invariant loads of `row` before the loop, which runs at least
/// once.
void hoistInvariant(RowLoop &row);

/// Properties of the machine that decide the shape of loops. Without a target
/// attribute, those of the default machine.
struct TargetShape {
  int64_t vectorBits = 512;
  int64_t vectorRegisters = 32;
  int64_t dataQueueBytes = 16384;
  int64_t storageBytes = 16384; ///< of the whole access unit

  static TargetShape lookup(mlir::Operation *op);

  /// Bytes of chunks that a callback may take at once. Twice as much stands in
  /// the data queue, so that the access unit can fetch ahead, and two lines
  /// remain for scalars taken beside them.
  int64_t getCallbackBytes() const {
    return std::max<int64_t>(dataQueueBytes / 2 - 64, 8);
  }

  /// Vector registers that values may stay in beside those code computes with.
  int64_t getFreeRegisters() const {
    return std::max<int64_t>(vectorRegisters - 8, 0);
  }

  /// Elements of a vector whose widest element has `bits` bits. Narrow elements
  /// are computed with as 32 bits.
  int64_t getLanes(unsigned bits) const {
    return std::max<int64_t>(1, vectorBits / std::max(bits, 32u));
  }
};

/// Bits of an element in a vector.
unsigned getElementBits(mlir::Type type);

/// Whether elements along the last dimension of `type` lie in memory as they do
/// in a vector: side by side, and whole bytes each, unlike i1.
bool liesAsVector(mlir::MemRefType type);

} // namespace ember::slc

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_ROWLOOP_H
