//===- DramBanks.h - The timing rules of one DRAM channel -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What one channel's banks allow: the earliest clock for each command, and
// what a command forbids afterwards. No queues and no choices here; the
// scheduler in Dram.cpp makes those.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_DRAMBANKS_H
#define EMBER_SIMULATOR_DRAMBANKS_H

#include "ember/Simulator/Machine.h"

#include <algorithm>

namespace ember::sim {

/// Memory clocks since the start of the run.
using MemoryClock = uint64_t;

enum class DramCommand : uint8_t {
  Activate,
  Precharge,
  PrechargeAll,
  Read,
  Write,
  Refresh
};

/// A command as it was issued, for tests and traces.
struct DramCommandRecord {
  MemoryClock when;
  DramCommand command;
  uint8_t channel;
  uint8_t bank;
  uint32_t row;
};

/// The command bus: shared by the pseudo-channels of an HBM channel, and by
/// row and column commands where the standard has one bus for both.
struct CommandBus {
  bool split = false;
  MemoryClock rowFree = 0;
  MemoryClock columnFree = 0;

  MemoryClock freeFor(bool column) const {
    return column || !split ? columnFree : rowFree;
  }
  void occupy(bool column, MemoryClock until) {
    (column || !split ? columnFree : rowFree) = until;
  }
};

class DramBanks {
public:
  static constexpr uint32_t closed = ~uint32_t(0);

  DramBanks(const DramStandard &standard, CommandBus &bus);

  uint32_t openRow(unsigned bank) const { return banks[bank].row; }
  bool anyOpen() const { return numOpen; }

  /// The first clock at which the command is legal. The bank's state must fit:
  /// open for Read, Write and Precharge, closed for Activate, all closed for
  /// Refresh.
  MemoryClock earliest(DramCommand command, unsigned index = 0) const {
    const Bank &bank = banks[index];
    const Group &group = groups[index >> groupShift];
    switch (command) {
    case DramCommand::Activate: {
      MemoryClock when = std::max({bank.activate, group.activate,
                                   channel.activate, bus.freeFor(false)});
      return numActivates < 4
                 ? when
                 : std::max(when, activates[oldestActivate] + standard.nFAW);
    }
    case DramCommand::Precharge:
      return std::max(bank.precharge, bus.freeFor(false));
    case DramCommand::Read:
      return std::max({bank.read, group.read, channel.read, bus.freeFor(true)});
    case DramCommand::Write:
      return std::max(
          {bank.write, group.write, channel.write, bus.freeFor(true)});
    case DramCommand::PrechargeAll:
    case DramCommand::Refresh:
      break;
    }
    return std::max(earliestForAll(command), bus.freeFor(false));
  }

  /// Issues a command at a clock not before earliest().
  void issue(DramCommand command, unsigned bank, uint32_t row,
             MemoryClock when);

  /// Issues a PrechargeAll or Refresh that nobody waited for, at `due` or as
  /// soon after as was legal, and returns when that was. It may lie in the
  /// past, so the command bus is left alone.
  MemoryClock issueUnseen(DramCommand command, MemoryClock due);

private:
  struct Bank {
    uint32_t row = closed;
    MemoryClock activate = 0, precharge = 0, read = 0, write = 0;
  };
  struct Group {
    MemoryClock activate = 0, read = 0, write = 0;
  };

  /// Of PrechargeAll and Refresh: what the banks allow.
  MemoryClock earliestForAll(DramCommand command) const;
  void issueForAll(DramCommand command, MemoryClock when);

  const DramStandard &standard;
  CommandBus &bus;
  std::vector<Bank> banks;
  std::vector<Group> groups;
  unsigned groupShift;
  Group channel;
  /// The last four activates, the oldest at `oldestActivate`.
  MemoryClock activates[4] = {};
  unsigned oldestActivate = 0;
  unsigned numActivates = 0;
  unsigned numOpen = 0;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_DRAMBANKS_H
