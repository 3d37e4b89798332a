//===- System.h - The parts of a machine, wired -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_SYSTEM_H
#define EMBER_LIB_SIMULATOR_SYSTEM_H

#include "Core.h"
#include "Execution.h"
#include "Prefetcher.h"
#include "ember/Simulator/AccessUnit.h"
#include "ember/Simulator/Dram.h"
#include "ember/Simulator/Session.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <memory>
#include <optional>

namespace ember::sim {

inline constexpr const char *kQueueNames[EMBER_QUEUES] = {"data", "scalar",
                                                          "token"};

/// One core with its caches, memory, queues and access unit, around a program
/// that runs.
class System final : private Doorbell {
public:
  /// `queueRanges`: the numbers of the queues' memory in the address map.
  System(const Machine &machine, const Program &program, Execution &execution,
         const AddressMap &map,
         const std::array<ArgumentId, EMBER_QUEUES> &queueRanges);

  RunResult run(Cycle limit) { return engine.run(limit); }

  /// What the machine did in a run of `cycles`. `names` are those of the
  /// address map's ranges.
  llvm::json::Object statistics(Cycle cycles,
                                llvm::ArrayRef<std::string> names);

private:
  void ring(uint32_t program) override;
  bool idle() const override { return !unit || unit->finished(); }

  const Machine &machine;
  Execution &execution;
  Engine engine;
  Dram dram;
  Cache llc, l2, l1d;
  std::optional<StridePrefetcher> prefetcher;
  std::array<std::unique_ptr<TimedQueue>, EMBER_QUEUES> queues;
  std::optional<AccessUnit> unit;
  Core core;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_SYSTEM_H
