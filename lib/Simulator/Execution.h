//===- Execution.h - The program runs and leaves a trace --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Runs instrumented code in a fiber, ahead of the core model, one trace buffer
// at a time, and is the runtime that the code calls: memory here, queues,
// access unit and faults in its context. What it computes never depends on
// time, so it may run ahead as far as it likes.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_EXECUTION_H
#define EMBER_LIB_SIMULATOR_EXECUTION_H

#include "Core.h"
#include "Fiber.h"
#include "Instrument.h"
#include "Jit.h"
#include "Program.h"
#include "ember/Runtime/Context.h"
#include "ember/Simulator/AccessUnit.h"
#include "ember/Simulator/AddressMap.h"

#include <memory>
#include <string>
#include <vector>

namespace ember::sim {

/// The functional side of queues, access unit and faults. The doorbell leaves
/// records of the unit's programming in the trace.
class ProgramContext final : public rt::Context {
public:
  using rt::Context::Context;
  /// The unit that will run the programs; without one they are errors.
  void setUnit(const AccessUnit *accessUnit) { unit = accessUnit; }
  /// All programs started so far.
  std::vector<std::shared_ptr<const rt::AccessProgram>> programs;

protected:
  void started(std::shared_ptr<const rt::AccessProgram> program) override;
  void waited() override;

private:
  const AccessUnit *unit = nullptr;
};

class Execution final : public TraceSource {
public:
  Execution(const Program &program, AddressMap &map,
            const QueuesParams &queues);
  ~Execution() override;

  /// Runtime symbols for the JIT.
  static std::vector<JitSymbol> runtimeSymbols();

  /// Finds the code and its variables; their memory is registered in the map.
  llvm::Error link(Jit &jit, llvm::ArrayRef<ProgramVariable> variables);

  /// Registers memory and whether the program may write it.
  ArgumentId addRange(std::string name, void *host, uint64_t bytes,
                      bool writable);

  ProgramContext &context() { return theContext; }
  const ProgramContext &context() const { return theContext; }

  /// Prepares to run the entry on `words` (see addEntry).
  void start(uint64_t *words);

  llvm::ArrayRef<uint64_t> refill() override;

  /// Why the program was stopped; empty if it was not.
  const std::string &error() const { return problem; }

  /// The memory block at `address` and its range, if the program allocated it
  /// and has not freed it; the caller then shares its ownership.
  std::shared_ptr<void> takeBlock(void *address, ArgumentId &range);

  //===-- Called from the program, through the runtime symbols ------------===//

  void yield() { fiber->yield(); }
  /// Notes why the program is to be stopped, which `leaveIfFailed` does.
  void fail(std::string message);
  void leaveIfFailed();
  /// What the access unit could read outside of the program's memory; empty if
  /// nothing.
  std::string checkMemory(const rt::AccessProgram &unit) const;
  void failDivision(uint32_t number) { fail(program.divisions[number]); }
  uint64_t translate(uint32_t site, uint64_t address);
  uint64_t translate(uint32_t site, uint64_t address, uint64_t bytes);
  void *allocate(uint64_t alignment, uint64_t bytes);
  void release(void *block);
  /// Adds a record of one word.
  void append(uint64_t word);

private:
  static constexpr size_t kBufferWords = size_t(1) << 14;

  struct Block {
    std::shared_ptr<void> memory;
    ArgumentId range;
    bool freed;
  };

  std::string describe(uint32_t site, uint64_t address, uint64_t bytes) const;
  std::string describePlace(uint64_t address, uint64_t likely) const;

  const Program &program;
  AddressMap &map;
  ProgramContext theContext;
  enum class Access : uint8_t { None, Read, Write };
  std::vector<Access> accessible; ///< What the program may do, by range.
  std::vector<uint64_t> buffer;
  uint64_t **cursor = nullptr, **limit = nullptr; ///< The code's own.
  SiteWindow *windows = nullptr;
  void (*enter)(uint64_t *) = nullptr;
  std::unique_ptr<Fiber> fiber;
  bool over = false;
  std::string problem;
  std::vector<Block> blocks;
  unsigned numBlocks = 0;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_EXECUTION_H
