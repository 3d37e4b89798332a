//===- Translate.h - Split modules as LLVM IR -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_TRANSLATE_H
#define EMBER_TARGET_TRANSLATE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <optional>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace ember {

/// A part of a module made by `dlc-split`.
enum class Part { Host, Access, Execute };

/// "host", "access", "execute".
llvm::StringRef stringifyPart(Part part);
std::optional<Part> symbolizePart(llvm::StringRef name);

/// Lowers one part of `split` to LLVM IR, not yet optimised; `split` stays as
/// it is. A module for a machine without access units has a host part only.
/// What cannot be lowered is reported at its operation.
///
/// Every function takes the context of the run time first
/// (ember/Runtime/ABI.h), and memrefs as their descriptors' fields. Public host
/// functions have a C entry besides, `_mlir_ciface_NAME`, which takes a pointer
/// to the results' descriptors first if there are memref results. No two
/// buffers passed to a function overlap if one of them is written; whoever
/// calls sees to that.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
translatePart(mlir::ModuleOp split, Part part, llvm::LLVMContext &context);

} // namespace ember

#endif // EMBER_TARGET_TRANSLATE_H
