//===- Utils.h - Rebuild kernels in slc form --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_UTILS_H
#define EMBER_DIALECT_SLC_TRANSFORMS_UTILS_H

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace ember::slc {

/// Makes values defined in one callback and used outside it results of the
/// callback. Transformations build callbacks as if their values were visible
/// from there on, and call this to put the kernel in order.
void yieldEscapingValues(KernelOp kernel);

/// Hands streams to the callbacks that use them, where transformations let
/// callbacks, and execute operands of loops and yields, use streams directly. A
/// stream used by one callback of its own loop becomes its operand. Any other
/// is sent once an iteration of its own loop, to a callback of its own before
/// the first use, which yields it.
void takeStreams(KernelOp kernel);

/// Joins callbacks of a block between which nothing but streams stands, as long
/// as one callback takes no more than `bytes` bytes of chunks. A row that both
/// take is taken once.
void joinCallbacks(KernelOp kernel, int64_t bytes);

/// Hands on, within each block, what one callback stores and another loads
/// where the place in memory is known, and erases stores that are overwritten
/// and locals that nobody reads. Values may be used outside of the callbacks
/// that define them afterwards: see yieldEscapingValues.
void forwardStores(KernelOp kernel);

/// Erases operations without effects whose results nobody uses.
void eraseDeadCode(KernelOp kernel);

/// The constants of a kernel, each once and at its top.
class ConstantPool {
public:
  explicit ConstantPool(KernelOp kernel);

  /// A constant equal to `constant`, an operation of one result.
  mlir::Value get(mlir::Operation *constant);
  mlir::Value getIndex(int64_t value);
  llvm::SmallVector<mlir::Value> get(llvm::ArrayRef<mlir::TypedAttr> values);

private:
  mlir::Value get(mlir::TypedAttr value);

  mlir::Block *body;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Value> pool;
};

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_TRANSFORMS_UTILS_H
