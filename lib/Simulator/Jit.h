//===- Jit.h - Run instrumented LLVM code on the host -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_JIT_H
#define EMBER_LIB_SIMULATOR_JIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace ember::sim {

/// A function or variable of the runtime that generated code refers to.
struct JitSymbol {
  llvm::StringRef name;
  void *address;
};

class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>> create();
  ~Jit();

  /// Gives a module the host's target and data layout; sizes in it must not be
  /// looked at before.
  void setTarget(llvm::Module &module) const;

  /// Adds a module, which is verified first. Code generation happens at the
  /// first look-up.
  llvm::Error add(std::unique_ptr<llvm::Module> module,
                  std::unique_ptr<llvm::LLVMContext> context,
                  llvm::ArrayRef<JitSymbol> runtime);

  llvm::Expected<void *> lookup(llvm::StringRef name);

private:
  struct Impl;
  explicit Jit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_JIT_H
