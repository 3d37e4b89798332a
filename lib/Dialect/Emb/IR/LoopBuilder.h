//===- LoopBuilder.h - Index arithmetic and loops in few words --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of emb operations build their loops from. Index arithmetic
// is done in `index`; constants and static sizes fold as it is built.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_EMB_IR_LOOPBUILDER_H
#define EMBER_LIB_DIALECT_EMB_IR_LOOPBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember::emb {

class LoopBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using mlir::ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value constant(int64_t value);
  mlir::Value constantFlag(bool value);
  mlir::Value zero(mlir::FloatType type);
  mlir::Value infinity(mlir::FloatType type, bool negative);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                  mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value either(mlir::Value a, mlir::Value b);
  mlir::Value negate(mlir::Value flag);

  /// Views the leading dimensions of a memref, all but `inner`, as a single
  /// one; null if its layout does not allow that.
  mlir::Value flattenLeading(mlir::Value memref, int64_t inner);
  /// Views a memref of rows as `blocks` blocks of `size` rows.
  mlir::Value viewAsBlocks(mlir::Value rows, mlir::Value blocks, int64_t size);
  /// Size of a dimension of a memref.
  mlir::Value dim(mlir::Value memref, int64_t dimension);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices);
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices);
  /// An element of a memref of i32, i64 or index, sign-extended to index.
  mlir::Value loadIndex(mlir::Value memref, mlir::ValueRange indices);

  /// A new memref for the bounds of `segments` segments, one more of them, i64.
  mlir::Value allocBounds(mlir::Value segments);

  /// An i32, i64 or index, sign-extended to index.
  mlir::Value castToIndex(mlir::Value value);
  /// An i32, i64 or index, sign-extended to i64.
  mlir::Value castToI64(mlir::Value value);
  /// A float widened to `type`, or narrowed with one rounding to nearest even.
  mlir::Value castFloat(mlir::Value value, mlir::FloatType type);

  /// for (i = lower; i < upper; ++i) body(i)
  mlir::scf::ForOp loop(mlir::Value lower, mlir::Value upper,
                        llvm::function_ref<void(mlir::Value)> body);

  /// The same with values carried from one iteration to the next, which `body`
  /// takes and returns; gives those of the last iteration.
  mlir::ValueRange
  loop(mlir::Value lower, mlir::Value upper, mlir::ValueRange init,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body);

  /// if (condition) body() else otherwise()
  void when(mlir::Value condition, llvm::function_ref<void()> body,
            llvm::function_ref<void()> otherwise = nullptr);

  /// condition ? thenBody() : elseBody(), only one of them run.
  mlir::Value choose(mlir::Value condition,
                     llvm::function_ref<mlir::Value()> thenBody,
                     llvm::function_ref<mlir::Value()> elseBody);

  /// The same with several values.
  mlir::ValueRange
  choose(mlir::Value condition,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> thenBody,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> elseBody);
};

/// Marks the outermost loop of a nest as what becomes a kernel of this name,
/// with independent iterations.
void markKernel(mlir::scf::ForOp loop, llvm::StringRef name);

} // namespace ember::emb

#endif // EMBER_LIB_DIALECT_EMB_IR_LOOPBUILDER_H
