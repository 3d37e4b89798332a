//===- TimingRules.h - A second opinion on DRAM timing ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One channel's timing as the standards put it: pairs of commands and the
// clocks that must lie between them. DramBanks keeps the earliest next clocks
// instead; the tests hold one against the other.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TEST_UNIT_SIMULATOR_TIMINGRULES_H
#define EMBER_TEST_UNIT_SIMULATOR_TIMINGRULES_H

#include "ember/Simulator/DramBanks.h"

#include <array>

namespace ember::sim::test {

class TimingRules {
public:
  explicit TimingRules(const DramStandard &s)
      : standard(s), rows(s.banks(), DramBanks::closed), last(s.banks()) {
    using C = DramCommand;
    int writeEnd = s.nCWL + s.nBL;
    rules = {
        {C::Activate, C::Read, Same::Bank, int(s.nRCDRD)},
        {C::Activate, C::Write, Same::Bank, int(s.nRCDWR)},
        {C::Activate, C::Precharge, Same::Bank, int(s.nRAS)},
        {C::Activate, C::Activate, Same::Bank, int(s.nRC)},
        {C::Precharge, C::Activate, Same::Bank, int(s.nRP)},
        {C::Activate, C::Activate, Same::Group, int(s.nRRDL)},
        {C::Activate, C::Activate, Same::Channel, int(s.nRRDS)},
        {C::Read, C::Read, Same::Group, int(s.nCCDL)},
        {C::Read, C::Read, Same::Channel, int(s.nCCDS)},
        {C::Write, C::Write, Same::Group, int(s.nCCDL)},
        {C::Write, C::Write, Same::Channel, int(s.nCCDS)},
        {C::Read, C::Precharge, Same::Bank, int(s.nRTP)},
        {C::Write, C::Precharge, Same::Bank, writeEnd + int(s.nWR)},
        {C::Write, C::Read, Same::Group, writeEnd + int(s.nWTRL)},
        {C::Write, C::Read, Same::Channel, writeEnd + int(s.nWTRS)},
        {C::Read, C::Write, Same::Channel,
         int(s.nCL + s.nBL + 2) - int(s.nCWL)},
        {C::Activate, C::Refresh, Same::Channel, int(s.nRC)},
        {C::Precharge, C::Refresh, Same::Channel, int(s.nRP)},
        {C::Refresh, C::Activate, Same::Channel, int(s.nRFC)},
        {C::Refresh, C::Refresh, Same::Channel, int(s.nRFC)},
    };
  }

  uint32_t openRow(unsigned bank) const { return rows[bank]; }
  bool anyOpen() const {
    return std::any_of(rows.begin(), rows.end(),
                       [](uint32_t row) { return row != DramBanks::closed; });
  }

  /// The first clock at which no rule forbids the command.
  MemoryClock earliest(DramCommand command, unsigned bank) const {
    int64_t when = 0;
    if (command == DramCommand::PrechargeAll) {
      for (unsigned other = 0; other < rows.size(); ++other)
        if (rows[other] != DramBanks::closed)
          when =
              std::max<int64_t>(when, earliest(DramCommand::Precharge, other));
      return when;
    }
    for (const Rule &rule : rules)
      for (unsigned other = 0; other < rows.size(); ++other)
        if (rule.second == command && applies(rule.same, bank, other))
          when = std::max(when, last[other][int(rule.first)] + rule.clocks);
    // The fifth activate: FAW after the first.
    if (command == DramCommand::Activate && activates.size() >= 4)
      when = std::max<int64_t>(when, *(activates.end() - 4) + standard.nFAW);
    return when;
  }

  void add(const DramCommandRecord &r) {
    if (r.command == DramCommand::PrechargeAll) {
      for (unsigned bank = 0; bank < rows.size(); ++bank)
        if (rows[bank] != DramBanks::closed)
          add({r.when, DramCommand::Precharge, r.channel, uint8_t(bank), 0});
      return;
    }
    last[r.bank][int(r.command)] = r.when;
    if (r.command == DramCommand::Activate) {
      rows[r.bank] = r.row;
      activates.push_back(r.when);
    } else if (r.command == DramCommand::Precharge) {
      rows[r.bank] = DramBanks::closed;
    }
  }

private:
  enum class Same { Bank, Group, Channel };
  struct Rule {
    DramCommand first, second;
    Same same;
    int clocks;
  };

  bool applies(Same same, unsigned bank, unsigned other) const {
    switch (same) {
    case Same::Bank:
      return bank == other;
    case Same::Group:
      return bank / standard.banksPerGroup == other / standard.banksPerGroup;
    case Same::Channel:
      return true;
    }
    return false;
  }

  /// Of one bank, by command; long ago if there was none.
  struct LastClocks : std::array<int64_t, 6> {
    LastClocks() { fill(-1000000); }
  };

  DramStandard standard;
  std::vector<Rule> rules;
  std::vector<uint32_t> rows;
  std::vector<LastClocks> last;
  std::vector<MemoryClock> activates;
};

} // namespace ember::sim::test

#endif // EMBER_TEST_UNIT_SIMULATOR_TIMINGRULES_H
