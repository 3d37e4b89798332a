//===- Session.h - Run compiled code on a modelled machine ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The simulator's front door. The compiled code (host, access and execute part
// in one optimised LLVM module) runs on the caller's arrays and gives real
// results; what it does is timed on the machine. The same module, arguments
// and machine give the same cycles everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_SESSION_H
#define EMBER_SIMULATOR_SESSION_H

#include "ember/Simulator/Machine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace ember::sim {

/// An argument of the entry function.
struct SessionArgument {
  enum class Kind {
    MemRef,  ///< A pointer to a descriptor of `data`, `shape` and `strides`.
    Pointer, ///< `data` itself.
    Scalar   ///< `bits`.
  };

  std::string name;
  Kind kind = Kind::Pointer;
  /// The array. Accesses outside [data, data + bytes) are errors, and so are
  /// writes unless `writable`. Arrays may overlap.
  void *data = nullptr;
  uint64_t bytes = 0;
  bool writable = false;
  /// In elements, outermost first.
  llvm::SmallVector<int64_t, 4> shape, strides;
  uint64_t bits = 0;
};

/// How the entry function is called: for MLIR's C interface
/// (`_mlir_ciface_name`), a pointer to the results' descriptors comes first if
/// there are any, then the context if it takes one, then the arguments.
struct SessionEntry {
  std::string name;
  bool takesContext = false;
  /// The rank of each memref that it returns.
  llvm::SmallVector<unsigned, 2> resultRanks;
};

struct SessionOptions {
  /// Simulated cycles after which the run stops with an error; 0 is no limit.
  uint64_t cycleLimit = 0;
};

/// A memref that the entry function returned.
struct SessionResult {
  void *data = nullptr; ///< Its memory; the first element is at `offset`.
  int64_t offset = 0;   ///< In elements.
  /// Bytes that may be read from `data` on.
  uint64_t bytes = 0;
  llvm::SmallVector<int64_t, 4> shape, strides;
  /// Owns the memory if the program allocated it; null if it is an argument's.
  std::shared_ptr<void> storage;
};

/// Bad data that the program (`site`) or the access unit (`operation`) met.
struct SessionFault {
  /// Reported by ember_fault with this site, or else -1.
  int32_t site = -1;
  /// Met by the access unit at the operation with this id, or else -1.
  int32_t operation = -1;
  /// The unit's kernel number, and the dimension of the memref.
  int32_t kernel = -1, dimension = -1;
  /// The operation that loaded the bad value, or -1 if it was not loaded.
  int32_t source = -1;
  /// Where in the source the value was (flattened), the value, and what it was
  /// held against.
  int64_t position = 0, value = 0, limit = 0;
};

struct SessionOutcome {
  uint64_t cycles = 0;
  /// On a fault the results are not to be delivered.
  std::optional<SessionFault> fault;
  std::vector<SessionResult> results;
  /// What a function without descriptors returned, in its low bytes.
  uint64_t returned = 0;
  /// See docs/simulator.md.
  llvm::json::Object statistics;
};

/// Runs `entry` of `module` on `machine`. The module is optimised already and
/// is consumed. Fails if it cannot be timed, if it accesses memory outside its
/// arguments, on a deadlock, and at the cycle limit.
llvm::Expected<SessionOutcome> run(const Machine &machine,
                                   std::unique_ptr<llvm::Module> module,
                                   std::unique_ptr<llvm::LLVMContext> context,
                                   const SessionEntry &entry,
                                   llvm::ArrayRef<SessionArgument> arguments,
                                   const SessionOptions &options = {});

} // namespace ember::sim

#endif // EMBER_SIMULATOR_SESSION_H
