//===- Execution.h - The program runs and leaves a trace --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Runs instrumented code in a fiber, ahead of the core model, one trace buffer
// at a time, and is the runtime that the code calls: memory in ProgramMemory,
// queues, access unit and faults in its context. What it computes never depends
// on time, so it may run ahead as far as it likes. Each core has its own, of
// which one runs at a time.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_EXECUTION_H
#define EMBER_LIB_SIMULATOR_EXECUTION_H

#include "Core.h"
#include "Fiber.h"
#include "Instrument.h"
#include "Jit.h"
#include "Program.h"
#include "ProgramMemory.h"
#include "ember/Runtime/Context.h"
#include "ember/Simulator/AccessUnit.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ember::sim {

class Execution;

/// The functional side of queues, access unit and faults. The doorbell leaves
/// records of the unit's programming in the trace.
class ProgramContext final : public rt::Context {
public:
  using rt::Context::Context;
  /// The unit that will run the programs; without one they are errors.
  void setUnit(const AccessUnit *accessUnit) { unit = accessUnit; }
  /// The cores that the program may fork, from 1 on.
  void setOthers(llvm::ArrayRef<Execution *> cores) { others = cores; }
  void fork(int64_t core, ember_core_code *code, void *closure) override;
  void join() override;
  /// All programs started so far.
  std::vector<std::shared_ptr<const rt::AccessProgram>> programs;

protected:
  void started(std::shared_ptr<const rt::AccessProgram> program) override;
  void waited() override;

private:
  const AccessUnit *unit = nullptr;
  std::vector<Execution *> others;
};

/// Instrumented code, and its variables that say where it writes.
struct ProgramCode {
  void (*enter)(uint64_t *words) = nullptr;
  uint64_t **cursor = nullptr, **limit = nullptr; ///< Of the trace.
  void **frame = nullptr;                         ///< The stack variables.
  SiteWindow *windows = nullptr;

  static llvm::Expected<ProgramCode> link(Jit &jit);
};

class Execution final : public TraceSource {
public:
  /// `locals`: this core's stack variables.
  Execution(const Program &program, const ProgramCode &code,
            ProgramMemory &memory, void *locals, const QueuesParams &queues);
  ~Execution() override;

  /// Runtime symbols for the JIT.
  static std::vector<JitSymbol> runtimeSymbols();

  ProgramContext &context() { return theContext; }
  const ProgramContext &context() const { return theContext; }
  ProgramMemory &memory() { return theMemory; }

  /// Prepares to run `function`. Not before another one has ended.
  void start(std::function<void()> function);
  bool finished() const { return over; }

  llvm::ArrayRef<uint64_t> refill() override;

  /// Why the program was stopped; empty if it was not.
  const std::string &error() const { return problem; }

  //===-- Called from the program, through the runtime symbols ------------===//

  void yield() { fiber->yield(); }
  /// Notes why the program is to be stopped, which `leaveIfFailed` does.
  void fail(std::string message);
  void leaveIfFailed();
  void failDivision(uint32_t number) { fail(program.divisions[number]); }
  uint64_t translate(uint32_t site, uint64_t address) {
    return theMemory.translate(site, address, problem);
  }
  uint64_t translate(uint32_t site, uint64_t address, uint64_t bytes) {
    return theMemory.translate(site, address, bytes, problem);
  }
  void *allocate(uint64_t alignment, uint64_t bytes) {
    return theMemory.allocate(alignment, bytes, problem);
  }
  void release(void *block) { theMemory.release(block, problem); }
  /// Adds a record of one word.
  void append(uint64_t word);

private:
  static constexpr size_t kBufferWords = size_t(1) << 14;

  const Program &program;
  const ProgramCode &code;
  ProgramMemory &theMemory;
  void *locals;
  ProgramContext theContext;
  std::vector<uint64_t> buffer;
  std::unique_ptr<Fiber> fiber;
  bool over = true;
  std::string problem;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_EXECUTION_H
