//===- Context.h - The functional side of a run -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Behind the void *ctx of the ABI: the queues in memory, the programs given
// to the access unit, and the faults. The unit runs whenever somebody waits for
// it, as far as the queues have room, so one thread is enough and nothing
// depends on timing.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_CONTEXT_H
#define EMBER_RUNTIME_CONTEXT_H

#include "ember/Runtime/AccessWalker.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace ember::rt {

/// A report of the host part: ember_fault.
struct HostFault {
  int32_t site;
  int64_t position, value, limit;
};

/// A report of the access unit.
struct UnitFault {
  int32_t kernel;
  AccessFault fault;
};

class Context : public ember_context {
public:
  /// Ring sizes in bytes, powers of two, in the order of ember_queue_kind.
  explicit Context(std::array<uint64_t, EMBER_QUEUES> capacities);
  virtual ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// What generated code is given.
  void *handle() { return static_cast<ember_context *>(this); }
  static Context &of(void *handle) {
    return *static_cast<Context *>(static_cast<ember_context *>(handle));
  }

  uint64_t capacity(int queue) const { return capacities[queue]; }
  bool closed() const { return isClosed; }
  /// Whether all programs started have been run to their ends.
  bool idle() const { return launches.empty(); }

  const std::optional<HostFault> &hostFault() const { return theHostFault; }
  const std::optional<UnitFault> &unitFault() const { return theUnitFault; }
  /// A mistake of the compiler: a bad program, or a wait nothing can end.
  const std::string &internalError() const { return theInternalError; }

  //===-- The ABI
  //------------------------------------------------------------===//

  uint64_t wait(ember_queue *queue, uint64_t needed);
  void waitForUnit();
  void report(const HostFault &fault);
  void begin(int32_t kernel);
  void start();
  /// The program being built.
  AccessProgram &building();
  /// Here cores run one after the other, each as it is forked.
  virtual void fork(int64_t core, ember_core_code *code, void *closure);
  virtual void join();

protected:
  /// Takes over what a core has met, unless this one has met something.
  void take(const Context &core);
  /// Stops at a mistake of the compiler.
  void stop(const std::string &error);

  /// Told of each program when its doorbell rings: the timing model starts its
  /// own walk of it.
  virtual void started(std::shared_ptr<const AccessProgram>) {}
  /// Told when the host has waited for the unit.
  virtual void waited() {}

private:
  struct Launch {
    std::shared_ptr<const AccessProgram> program;
    AccessWalker walker;
    /// Walked, but not in its queue yet for want of room.
    std::optional<AccessItem> held;
  };

  void runUnit();
  bool tryPush(const AccessItem &item);
  void close();

  std::array<uint64_t, EMBER_QUEUES> capacities;
  std::shared_ptr<AccessProgram> program;
  std::deque<Launch> launches;
  bool isClosed = false;
  std::optional<HostFault> theHostFault;
  std::optional<UnitFault> theUnitFault;
  std::string theInternalError;
  /// By their numbers, those that have run since the last join.
  std::map<int64_t, std::unique_ptr<Context>> cores;
};

} // namespace ember::rt

#endif // EMBER_RUNTIME_CONTEXT_H
