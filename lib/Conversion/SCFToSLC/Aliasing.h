//===- Aliasing.h - Which buffers may share memory --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_SCFTOSLC_ALIASING_H
#define EMBER_LIB_CONVERSION_SCFTOSLC_ALIASING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ember {

/// Which root buffers may share memory, as far as the whole module tells:
///
/// - An allocation shares memory with no buffer that is known to come from
///   elsewhere.
/// - The run time refuses arguments that overlap what a public function writes,
///   so arguments of functions that only it calls are distinct.
/// - Arguments of other functions are what their calls pass.
/// - Globals are told apart by name.
class Aliasing {
public:
  explicit Aliasing(mlir::ModuleOp module) : users(symbols, module) {}

  /// Whether two different root buffers may share memory.
  bool mayAlias(mlir::Value a, mlir::Value b);

private:
  using Pair = std::pair<mlir::Value, mlir::Value>;
  bool mayAlias(mlir::Value a, mlir::Value b, llvm::SmallVector<Pair> &asked);

  mlir::SymbolTableCollection symbols;
  mlir::SymbolUserMap users;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_SCFTOSLC_ALIASING_H
