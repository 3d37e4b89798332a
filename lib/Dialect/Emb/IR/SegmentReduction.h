//===- SegmentReduction.h - Rows of a segment become one row ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_EMB_IR_SEGMENTREDUCTION_H
#define EMBER_LIB_DIALECT_EMB_IR_SEGMENTREDUCTION_H

#include "LoopBuilder.h"
#include "RowPolicy.h"

#include "ember/Dialect/Emb/IR/Emb.h"

namespace ember::emb {

/// How a row, multiplied by its weight if it has one, joins those before it.
enum class Combiner {
  Sum, ///< From +0.
  /// Starts from the first row and replaces an element by one ordered greater:
  /// a NaN that came first stays, a later one loses.
  Greater,
  /// NaN in any row gives NaN; which of +0 and -0 wins is open.
  Maximum,
  Minimum,
};

/// What the combined rows are divided by; a segment for which that is 0 gives a
/// row of zeros.
enum class Divisor {
  None,
  Rows,          ///< The number of rows.
  RootOfRows,    ///< Its square root.
  Weights,       ///< The sum of weights.
  RootOfSquares, ///< The square root of the sum of squares of weights.
};

/// The nest that all operations on segments share: each segment s of the
/// indices, from bounds[s] to bounds[s + 1], names rows of the table that
/// become one row of `out`. Rows that the policy does not keep take no part,
/// nor do their weights; a segment without rows gives +0.
struct SegmentReduction {
  /// The operands in question; the values are below.
  IndexOperand index;
  mlir::Value table, indices, bounds, out;
  /// One an index, or null.
  mlir::Value weights;
  /// The row that takes no part, or null.
  mlir::Value padding;
  Combiner combiner = Combiner::Sum;
  Divisor divisor = Divisor::None;

  /// Emits the loop over `segments`, which becomes the kernel `name`. Bounds
  /// must have been checked. Rows without columns are not read, so their
  /// indices are checked instead.
  void emit(LoopBuilder &builder, llvm::StringRef name,
            mlir::Value segments) const;
};

} // namespace ember::emb

#endif // EMBER_LIB_DIALECT_EMB_IR_SEGMENTREDUCTION_H
