//===- Dram.h - The memory controllers --------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One controller for each channel: queues of reads and writes, open rows,
// first ready first come, refresh of all banks at once, writes drained in
// batches. All channels refresh at the same time, which costs a stream that
// touches all of them least.
//
// Not modelled: power-down, ranks, reads served from the write queue, an age
// limit on waiting behind row hits (finite requests above bound the wait).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_DRAM_H
#define EMBER_SIMULATOR_DRAM_H

#include "ember/Simulator/DramBanks.h"
#include "ember/Simulator/Memory.h"

#include <deque>
#include <memory>

namespace ember::sim {

struct DramPlace {
  unsigned channel;
  unsigned bank; ///< group * banksPerGroup + bank in the group
  uint32_t row;
};

/// Which channel, bank and row a line lies in. The mapping lists what the bits
/// of the line address are, lowest first: "ch" channel, "bg" bank group, "ba"
/// bank in its group, "co" column; "co:2" takes two bits, "co" all that are
/// left. The bits above are the row.
class DramMapping {
public:
  explicit DramMapping(const MemoryParams &params);
  DramPlace place(uint64_t line) const;

  /// What is wrong with the mapping of `params`; empty if nothing.
  static std::string check(const MemoryParams &params);

private:
  enum Field : uint8_t { Channel, Group, Bank, Column };
  struct Bits {
    Field field;
    uint8_t to;    ///< lowest bit in the field
    uint8_t count; ///< bits
  };
  std::vector<Bits> bits;
  unsigned channelBits, groupBits, bankBits;
  bool hash;
};

struct DramChannelStatistics {
  uint64_t reads = 0, writes = 0; ///< lines
  uint64_t activates = 0, precharges = 0, refreshes = 0;
  /// Lines that found their row open.
  uint64_t rowHits = 0;
  /// Memory clocks the data bus was busy.
  uint64_t busClocks = 0;
  /// Core cycles from a read's arrival to its answer, summed.
  uint64_t readCycles = 0;
};

struct DramTraffic {
  uint64_t reads = 0, writes = 0; ///< lines
  uint64_t distinct = 0;          ///< lines read at least once
};

class Dram final : public Agent, public MemoryLevel {
public:
  Dram(Engine &engine, const Machine &machine);
  ~Dram() override;

  void request(const LineRequest &request) override;
  void tick(Cycle now) override;
  /// Memory only answers: it never holds up the end of a run.
  bool finished() const override { return true; }
  std::string describe() const override;

  const std::vector<DramChannelStatistics> &channels() const {
    return channelStats;
  }
  const std::vector<DramTraffic> &byArgument() const { return traffic; }
  /// Cycles a read takes from an idle channel with its bank closed.
  Cycle unloadedLatency() const;

  /// Keeps a record of every command from now on.
  void setLog(std::vector<DramCommandRecord> *records) { log = records; }

private:
  class Controller;
  friend class Controller;
  /// The controllers on one command bus.
  struct BusGroup {
    CommandBus bus;
    std::vector<std::unique_ptr<Controller>> controllers;
    MemoryClock next = never;
    unsigned turn = 0;
  };

  /// The first core cycle at or after a memory clock, and the reverse.
  Cycle toCycle(MemoryClock clock) const {
    return (clock * cyclesNumerator + cyclesDenominator - 1) /
           cyclesDenominator;
  }
  MemoryClock toClock(Cycle cycle) const {
    return (cycle * cyclesDenominator + cyclesNumerator - 1) / cyclesNumerator;
  }
  void schedule(BusGroup &group, MemoryClock clock);
  void count(const LineRequest &request);

  Engine &engine;
  MemoryParams params;
  DramMapping mapping;
  /// Core cycles in a memory clock, a fraction in lowest terms.
  uint64_t cyclesNumerator, cyclesDenominator;
  Cycle frontend, backend;
  std::vector<BusGroup> groups;
  std::vector<DramChannelStatistics> channelStats;
  std::vector<DramTraffic> traffic;
  /// A bit for each line that was read. Simulated addresses are dense.
  std::vector<uint64_t> touched;
  std::vector<DramCommandRecord> *log = nullptr;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_DRAM_H
