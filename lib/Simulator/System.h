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
#include <vector>

namespace ember::sim {

inline constexpr const char *kQueueNames[EMBER_QUEUES] = {"data", "scalar",
                                                          "token"};

/// The numbers of one core's queues in the address map.
using QueueRanges = std::array<ArgumentId, EMBER_QUEUES>;

/// Cores, each with its caches, queues and access unit, around a program that
/// runs, and the last-level cache and the memory they share.
class System final {
public:
  /// By core: what it executes, and its queues.
  System(const Machine &machine, const Program &program,
         llvm::ArrayRef<std::unique_ptr<Execution>> executions,
         const AddressMap &map, llvm::ArrayRef<QueueRanges> queueRanges);

  RunResult run(Cycle limit) { return engine.run(limit); }

  /// What the machine did in a run of `cycles`. `names` are those of the
  /// address map's ranges. See docs/simulator.md.
  llvm::json::Object statistics(Cycle cycles,
                                llvm::ArrayRef<std::string> names);

private:
  /// A core and what is its own.
  class Complex final : private Surroundings {
  public:
    /// `number`: of the core, empty if there is only one.
    Complex(System &system, const std::string &number, const Program &program,
            Execution &execution, const AddressMap &map,
            const QueueRanges &queueRanges);

    llvm::json::Object statistics(Cycle cycles,
                                  llvm::ArrayRef<std::string> names) const;

    System &system;
    Execution &execution;
    Cache l2, l1d;
    std::optional<StridePrefetcher> prefetcher;
    std::array<std::unique_ptr<TimedQueue>, EMBER_QUEUES> queues;
    std::optional<AccessUnit> unit;
    Core core;

  private:
    void ring(uint32_t program) override;
    bool unitIdle() const override { return !unit || unit->finished(); }
    void fork(uint32_t core) override;
    bool othersIdle() const override;
    void ended() override;
  };

  const Machine &machine;
  Engine engine;
  Dram dram;
  Cache llc;
  std::vector<std::unique_ptr<Complex>> complexes; ///< By core.
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_SYSTEM_H
