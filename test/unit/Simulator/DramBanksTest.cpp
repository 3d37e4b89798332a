//===- DramBanksTest.cpp - DRAM timings, one by one and together ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TimingRules.h"

#include "gtest/gtest.h"

#include <random>

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

//===----------------------------------------------------------------------===//
// Each timing by itself: legal at t, refused at t - 1
//===----------------------------------------------------------------------===//

struct TimingCase {
  const char *name;
  std::vector<DramCommandRecord> before; ///< when, command, -, bank, row
  DramCommand command;
  unsigned bank;
  MemoryClock expected;
};

/// Every case for one standard. Bank 1 is in the group of bank 0; `far` is in
/// another.
std::vector<TimingCase> timingCases(const DramStandard &s) {
  using C = DramCommand;
  uint8_t far = s.banksPerGroup;
  auto act = [](MemoryClock t, uint8_t bank) {
    return DramCommandRecord{t, C::Activate, 0, bank, 7};
  };
  auto cmd = [](MemoryClock t, C c, uint8_t bank) {
    return DramCommandRecord{t, c, 0, bank, 7};
  };
  MemoryClock t = 1000; // both rows long open
  std::vector<TimingCase> cases = {
      {"RCD read", {act(0, 0)}, C::Read, 0, s.nRCDRD},
      {"RCD write", {act(0, 0)}, C::Write, 0, s.nRCDWR},
      {"RAS", {act(0, 0)}, C::Precharge, 0, s.nRAS},
      {"RC",
       {act(0, 0), cmd(s.nRAS, C::Precharge, 0)},
       C::Activate,
       0,
       std::max(s.nRC, s.nRAS + s.nRP)},
      {"RP", {act(0, 0), cmd(t, C::Precharge, 0)}, C::Activate, 0, t + s.nRP},
      {"RRD_L", {act(0, 0)}, C::Activate, 1, s.nRRDL},
      {"RRD_S", {act(0, 0)}, C::Activate, far, s.nRRDS},
      {"CCD_L",
       {act(0, 0), act(100, 1), cmd(t, C::Read, 0)},
       C::Read,
       1,
       t + s.nCCDL},
      {"CCD_S",
       {act(0, 0), act(100, far), cmd(t, C::Read, 0)},
       C::Read,
       far,
       t + s.nCCDS},
      {"CCD_L write",
       {act(0, 0), act(100, 1), cmd(t, C::Write, 0)},
       C::Write,
       1,
       t + s.nCCDL},
      {"CCD_S write",
       {act(0, 0), act(100, far), cmd(t, C::Write, 0)},
       C::Write,
       far,
       t + s.nCCDS},
      {"RTP", {act(0, 0), cmd(t, C::Read, 0)}, C::Precharge, 0, t + s.nRTP},
      {"WR",
       {act(0, 0), cmd(t, C::Write, 0)},
       C::Precharge,
       0,
       t + s.nCWL + s.nBL + s.nWR},
      {"WTR_L",
       {act(0, 0), act(100, 1), cmd(t, C::Write, 0)},
       C::Read,
       1,
       t + s.nCWL + s.nBL + s.nWTRL},
      {"WTR_S",
       {act(0, 0), act(100, far), cmd(t, C::Write, 0)},
       C::Read,
       far,
       t + s.nCWL + s.nBL + s.nWTRS},
      {"read to write",
       {act(0, 0), act(100, far), cmd(t, C::Read, 0)},
       C::Write,
       far,
       t + s.nCL + s.nBL + 2 - s.nCWL},
      {"RFC", {cmd(t, C::Refresh, 0)}, C::Activate, 0, t + s.nRFC},
      {"RP before refresh",
       {act(0, 0), cmd(t, C::PrechargeAll, 0)},
       C::Refresh,
       0,
       t + s.nRP},
  };
  // A command on the other kind of bus is not in the way, if there is one.
  auto behind = [&](unsigned command, MemoryClock otherwise) {
    return s.splitCommandBus ? otherwise : t + command;
  };
  cases.push_back({"row command bus",
                   {act(0, 0), act(t, far)},
                   C::Precharge,
                   0,
                   t + s.actCommand});
  cases.push_back({"column command after a row command",
                   {act(100, 0), act(t, far)},
                   C::Read,
                   0,
                   behind(s.actCommand, 100 + s.nRCDRD)});
  cases.push_back({"row command after a column command",
                   {act(0, 0), act(100, far), cmd(t, C::Read, 0)},
                   C::Precharge,
                   far,
                   behind(s.columnCommand, 100 + s.nRAS)});
  // Five activates as soon as RRD_S allows; the fifth waits for FAW.
  MemoryClock fourth = 3 * s.nRRDS;
  cases.push_back({"FAW",
                   {act(0, 0), act(s.nRRDS, far), act(2 * s.nRRDS, 2 * far),
                    act(fourth, 3 * far)},
                   C::Activate,
                   1,
                   std::max<MemoryClock>({s.nFAW, fourth + s.nRRDS, s.nRRDL})});
  return cases;
}

/// A channel that has seen the commands before a case's own.
struct Channel {
  Channel(const DramStandard &standard, const TimingCase &c)
      : bus{standard.splitCommandBus}, banks(standard, bus) {
    for (const DramCommandRecord &r : c.before)
      banks.issue(r.command, r.bank, r.row, r.when);
  }
  CommandBus bus;
  DramBanks banks;
};

TEST(DramBanks, EveryTimingEndsAtItsFormula) {
  for (const DramStandard &standard : dramStandards())
    for (const TimingCase &c : timingCases(standard)) {
      Channel channel(standard, c);
      EXPECT_EQ(channel.banks.earliest(c.command, c.bank), c.expected)
          << standard.name << ": " << c.name;
      channel.banks.issue(c.command, c.bank, 7, c.expected);
    }
}

TEST(DramBanksDeathTest, ACommandOneClockEarlyIsRefused) {
  // An assertion, so only where they are compiled in.
  for (const DramStandard &standard : dramStandards())
    for (const TimingCase &c : timingCases(standard)) {
      Channel channel(standard, c);
      EXPECT_DEBUG_DEATH(
          channel.banks.issue(c.command, c.bank, 7, c.expected - 1),
          "command issued too early")
          << standard.name << ": " << c.name;
    }
}

TEST(DramBanks, PseudoChannelsShareTheRowCommandBus) {
  const DramStandard &hbm = *findDramStandard("HBM2-2000");
  CommandBus bus;
  bus.split = true;
  DramBanks first(hbm, bus), second(hbm, bus);
  first.issue(DramCommand::Activate, 0, 7, 0);
  // The activate takes two clocks of the bus; column commands have their own.
  EXPECT_EQ(second.earliest(DramCommand::Activate, 0), 2u);
}

//===----------------------------------------------------------------------===//
// All timings together, against the rules as the standards put them
//===----------------------------------------------------------------------===//

/// Issues `count` random commands, each as early as is legal or some clocks
/// later, and holds the earliest clock of each against the rules.
void compareWithRules(const DramStandard &standard, unsigned count,
                      const std::string &name) {
  CommandBus bus{standard.splitCommandBus};
  DramBanks banks(standard, bus);
  TimingRules rules(standard);
  MemoryClock busFree[2] = {}; // of row commands or all; of column commands
  std::mt19937 random(1);
  MemoryClock now = 0;
  for (unsigned i = 0; i < count; ++i) {
    uint8_t bank = random() % standard.banks();
    DramCommand command = DramCommand::Activate;
    if (!rules.anyOpen() && random() % 2)
      command = DramCommand::Refresh;
    else if (rules.openRow(bank) != DramBanks::closed)
      switch (random() % 16) {
      case 0:
        command = DramCommand::PrechargeAll;
        break;
      case 1:
      case 2:
      case 3:
        command = DramCommand::Precharge;
        break;
      default:
        command = random() % 2 ? DramCommand::Read : DramCommand::Write;
      }
    bool column = command == DramCommand::Read || command == DramCommand::Write;
    MemoryClock &free = busFree[standard.splitCommandBus && column];
    MemoryClock expected = std::max(rules.earliest(command, bank), free);
    ASSERT_EQ(banks.earliest(command, bank), expected)
        << name << ": step " << i << ", command " << int(command);
    now = std::max(now, expected) + (random() % 4 ? 0 : random() % 30);
    banks.issue(command, bank, 7, now);
    rules.add({now, command, 0, bank, 7});
    free = now + (column                             ? standard.columnCommand
                  : command == DramCommand::Activate ? standard.actCommand
                                                     : standard.preCommand);
  }
}

TEST(DramBanks, RandomCommandsAgreeWithTheRules) {
  using S = DramStandard;
  for (const DramStandard &standard : dramStandards()) {
    compareWithRules(standard, 5000, standard.name);
    // Each timing raised in turn, so that each is the one that binds.
    unsigned timing = 0;
    for (unsigned S::*member :
         {&S::nCL,          &S::nCWL,  &S::nBL,  &S::nRCDRD,     &S::nRCDWR,
          &S::nRP,          &S::nRAS,  &S::nRC,  &S::nCCDS,      &S::nCCDL,
          &S::nRRDS,        &S::nRRDL, &S::nFAW, &S::nWTRS,      &S::nWTRL,
          &S::nRTP,         &S::nWR,   &S::nRFC, &S::actCommand, &S::preCommand,
          &S::columnCommand}) {
      DramStandard changed = standard;
      changed.*member += 100;
      compareWithRules(changed, 500,
                       standard.name + ", timing " + std::to_string(timing++));
    }
  }
}

} // namespace
