//===- Signature.h - What a compiled function takes and gives ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_PIPELINES_SIGNATURE_H
#define EMBER_LIB_PIPELINES_SIGNATURE_H

#include "ember/Pipelines/Driver.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ember {

/// An EmberError as an llvm::Error.
inline llvm::Error error(EmberError::Kind kind, llvm::StringRef stage,
                         const llvm::Twine &message) {
  return llvm::make_error<EmberError>(kind, stage.str(), message);
}

/// The function called `entry`, or the module's only public one if `entry` is
/// empty.
llvm::Expected<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                             llvm::StringRef entry);

struct Signature {
  std::vector<Parameter> arguments;
  std::vector<Parameter> results;
  /// Of each argument, whether its outermost dimension may have any stride.
  std::vector<bool> anyRowStride;
};

/// Reads names, element types and shapes off a function on memrefs.
llvm::Expected<Signature> readSignature(mlir::func::FuncOp function);

/// Checks the arrays of a call against the signature and copies those whose
/// layout the function does not take; `copies` owns the copies.
llvm::Expected<std::vector<rt::TensorView>>
bindArguments(const Signature &signature,
              llvm::ArrayRef<rt::TensorView> arguments,
              std::vector<rt::Tensor> &copies);

} // namespace ember

#endif // EMBER_LIB_PIPELINES_SIGNATURE_H
