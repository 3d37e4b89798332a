//===- Execution.h - The program runs and leaves a trace ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Runs instrumented code in a fiber, ahead of the core model, one trace buffer
// at a time, and is the runtime that the code calls: memory, faults, and (via
// `AccessServices`) queues and access unit. What it computes never depends on
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
#include "ember/Runtime/ABI.h"
#include "ember/Simulator/AddressMap.h"

#include <memory>
#include <string>
#include <vector>

namespace ember::sim {

/// The functional access unit, as the program's calls see it.
class AccessServices {
public:
  virtual ~AccessServices() = default;
  /// ember_queue_wait. May fail the run by Execution::fail.
  virtual uint64_t wait(ember_queue *queue, uint64_t needed) = 0;
  /// The doorbell; returns the program's number for the trace.
  virtual uint32_t start() = 0;
};

/// What ember_fault reported first.
struct ReportedFault {
  int32_t site;
  int64_t position, value, limit;
};

class Execution final : public TraceSource {
public:
  Execution(const Program &program, AddressMap &map);
  ~Execution() override;

  /// Runtime symbols for the JIT.
  static std::vector<JitSymbol> runtimeSymbols();

  /// Finds the code and its variables; their memory is registered in the map.
  llvm::Error link(Jit &jit, llvm::ArrayRef<ProgramVariable> variables);

  /// Registers memory and whether the program may write it.
  ArgumentId addRange(std::string name, void *host, uint64_t bytes,
                      bool writable);

  void setAccess(AccessServices *services) { access = services; }

  /// Prepares to run the entry on `words` (see addEntry).
  void start(uint64_t *words);

  llvm::ArrayRef<uint64_t> refill() override;

  /// Why the program was stopped; empty if it was not.
  const std::string &error() const { return problem; }
  const std::optional<ReportedFault> &fault() const { return reported; }

  /// The memory block at `address`, if the program allocated it and has not
  /// freed it; ownership passes to the caller.
  std::shared_ptr<void> takeBlock(void *address);

  //===-- Called from the program, through the runtime symbols ------------===//

  void yield() { fiber->yield(); }
  /// Stops the program for good. Does not return.
  [[noreturn]] void fail(std::string message);
  uint64_t translate(uint32_t site, uint64_t address);
  uint64_t translate(uint32_t site, uint64_t address, uint64_t bytes);
  void *allocate(uint64_t alignment, uint64_t bytes);
  void release(void *block);
  void report(const ReportedFault &fault);
  /// Adds a record of one word.
  void append(uint64_t word);
  AccessServices *accessUnit() { return access; }
  const Site &site(uint32_t number) const { return program.sites[number]; }

  /// The one whose program is running on this thread.
  static Execution *current();

private:
  static constexpr size_t kBufferWords = size_t(1) << 14;

  struct Block {
    std::shared_ptr<void> memory;
    ArgumentId range;
  };

  std::string describe(uint32_t site, uint64_t address, uint64_t bytes) const;

  const Program &program;
  AddressMap &map;
  AccessServices *access = nullptr;
  std::vector<bool> writable; ///< By range.
  std::vector<uint64_t> buffer;
  uint64_t **cursor = nullptr, **limit = nullptr; ///< The code's own.
  SiteWindow *windows = nullptr;
  void (*enter)(uint64_t *) = nullptr;
  std::unique_ptr<Fiber> fiber;
  bool over = false;
  std::string problem;
  std::optional<ReportedFault> reported;
  std::vector<Block> blocks;
  unsigned numBlocks = 0;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_EXECUTION_H
