//===- Driver.h - Compile a module and run it on a machine ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The one way from MLIR text to results and cycles, shared by ember-sim and
// the Python package. It holds no logic of its own beyond binding arguments:
// compilation is the pipelines of Pipelines.h, execution is the simulator's.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_PIPELINES_DRIVER_H
#define EMBER_PIPELINES_DRIVER_H

#include "ember/Dialect/Slc/Transforms/Levels.h"
#include "ember/Runtime/Tensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace ember {

/// What to compile for; the defaults hold for pipelines and tools too.
struct CompileOptions {
  /// The name of a shipped machine, or the path of a machine file.
  std::string machine = "dae-hbm2";
  /// "caches.l2.mshr=64": values of the machine file to replace.
  std::vector<std::string> overrides;
  /// Optimisation level, 0 to `slc::maxLevel`.
  int level = slc::maxLevel;
  /// On a machine without access units: how many lookups ahead rows are
  /// prefetched; 0 is off.
  int prefetchDistance = 16;
  /// The function to run; may be empty if the module has just one.
  std::string entry;
};

struct RunOptions {
  /// Simulated cycles after which a run stops with an error; 0 is no limit.
  uint64_t cycleLimit = 0;
};

/// An argument or a result of a compiled function.
struct Parameter {
  /// Its `ember.name`, or its position.
  std::string name;
  rt::ElementType type;
  /// Extents, -1 where any extent is taken.
  llvm::SmallVector<int64_t, 4> shape;
  /// True for a learned parameter (`ember.parameter`), such as a table.
  bool learned = false;
};

/// What went wrong, in a form that callers can turn into their own exceptions.
class EmberError : public llvm::ErrorInfo<EmberError> {
public:
  static char ID;

  enum class Kind {
    Compile,         ///< The module does not parse, verify or compile.
    Option,          ///< A machine, level, entry or override is not valid.
    ArgumentType,    ///< An argument's element type or rank is not taken.
    ArgumentValue,   ///< An argument's shape, or a value in offsets, is bad.
    IndexOutOfRange, ///< An index selects no row.
    Simulation       ///< Deadlock, cycle limit or an access out of bounds.
  };

  EmberError(Kind kind, std::string stage, const llvm::Twine &message)
      : kind(kind), stage(std::move(stage)), message(message.str()) {}

  Kind kind;
  /// The step that failed: "parse", a pass pipeline stage, "bind", "run".
  std::string stage;
  std::string message;
  /// Of a fault found in the data: the argument, the (flattened) position in
  /// it, the value there, and what it was held against. Empty and 0 otherwise.
  std::string argument;
  int64_t position = 0, value = 0, limit = 0;

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;
};

struct RunResult {
  std::vector<rt::Tensor> results;
  /// The statistics as JSON text (docs/simulator.md lists the keys).
  std::string statistics;
};

/// A function compiled for one machine. Immutable: `run` may be called from
/// several threads at once.
class CompiledKernel {
public:
  static llvm::Expected<std::unique_ptr<CompiledKernel>>
  compile(llvm::StringRef mlir, llvm::StringRef fileName,
          const CompileOptions &options);
  ~CompiledKernel();

  llvm::ArrayRef<Parameter> arguments() const;
  llvm::ArrayRef<Parameter> results() const;

  /// The names that `ir` takes for this kernel, in pipeline order.
  std::vector<std::string> stages() const;
  /// The module's text after a stage: "emb", "bufferized", "scf",
  /// "decoupled", "slc", and then "dlc" and "split", or "coupled".
  llvm::Expected<std::string> ir(llvm::StringRef stage) const;
  /// Wall-clock seconds of each step of this compilation, in order: "parse",
  /// the stages, and "llvm", which makes the parts' optimised LLVM IR. No code
  /// is generated before the first run.
  llvm::ArrayRef<std::pair<std::string, double>> secondsByStage() const;
  /// What the compiler says of its choices, a line each: for each load of a
  /// nest that looks up, whether it moved to the access unit or why not.
  llvm::Expected<std::vector<std::string>> remarks() const;
  /// The LLVM IR of a part, optimised for the modelled core: "host", and on a
  /// machine with access units "access" and "execute".
  llvm::Expected<std::string> llvmIR(llvm::StringRef part) const;

  /// Runs the function. `arguments` match `arguments()` in number and order;
  /// arrays whose layout the function does not take are copied first.
  llvm::Expected<RunResult> run(llvm::ArrayRef<rt::TensorView> arguments,
                                const RunOptions &options = {}) const;

private:
  CompiledKernel();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ember

#endif // EMBER_PIPELINES_DRIVER_H
