//===- DramBanks.cpp - The timing rules of one DRAM channel ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/DramBanks.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace ember::sim;

static void raise(MemoryClock &clock, MemoryClock to) {
  clock = std::max(clock, to);
}

DramBanks::DramBanks(const DramStandard &standard, CommandBus &bus)
    : standard(standard), bus(bus), banks(standard.banks()),
      groups(standard.bankGroups),
      groupShift(llvm::Log2_32(standard.banksPerGroup)) {}

MemoryClock DramBanks::earliestForAll(DramCommand command) const {
  MemoryClock when = 0;
  for (const Bank &bank : banks)
    if (command == DramCommand::Refresh)
      raise(when, bank.activate);
    else if (bank.row != closed)
      raise(when, bank.precharge);
  return when;
}

void DramBanks::issueForAll(DramCommand command, MemoryClock when) {
  if (command == DramCommand::Refresh) {
    assert(!anyOpen() && "refresh with open banks");
    for (Bank &bank : banks)
      raise(bank.activate, when + standard.nRFC);
    return;
  }
  for (Bank &bank : banks) {
    if (bank.row == closed)
      continue;
    bank.row = closed;
    raise(bank.activate, when + standard.nRP);
  }
  numOpen = 0;
}

MemoryClock DramBanks::issueUnseen(DramCommand command, MemoryClock due) {
  MemoryClock when = std::max(due, earliestForAll(command));
  issueForAll(command, when);
  return when;
}

void DramBanks::issue(DramCommand command, unsigned index, uint32_t row,
                      MemoryClock when) {
  assert(when >= earliest(command, index) && "command issued too early");
  const DramStandard &s = standard;
  Bank &bank = banks[index];
  Group &group = groups[index >> groupShift];
  switch (command) {
  case DramCommand::Activate:
    assert(bank.row == closed && "activate of an open bank");
    bank.row = row;
    ++numOpen;
    bank.read = when + s.nRCDRD;
    bank.write = when + s.nRCDWR;
    raise(bank.precharge, when + s.nRAS);
    raise(bank.activate, when + s.nRC);
    raise(group.activate, when + s.nRRDL);
    raise(channel.activate, when + s.nRRDS);
    activates[oldestActivate] = when;
    oldestActivate = (oldestActivate + 1) % 4;
    numActivates = std::min(numActivates + 1, 4u);
    bus.occupy(/*column=*/false, when + s.actCommand);
    return;
  case DramCommand::Precharge:
    bank.row = closed;
    --numOpen;
    raise(bank.activate, when + s.nRP);
    bus.occupy(/*column=*/false, when + s.preCommand);
    return;
  case DramCommand::PrechargeAll:
  case DramCommand::Refresh:
    issueForAll(command, when);
    bus.occupy(/*column=*/false, when + s.preCommand);
    return;
  case DramCommand::Read: {
    assert(bank.row == row && "read of a row that is not open");
    raise(bank.precharge, when + s.nRTP);
    raise(group.read, when + s.nCCDL);
    raise(channel.read, when + s.nCCDS);
    // The bus must turn round: two clocks between the bursts.
    raise(channel.write, when + s.nCL + s.nBL + 2 - s.nCWL);
    bus.occupy(/*column=*/true, when + s.columnCommand);
    return;
  }
  case DramCommand::Write: {
    assert(bank.row == row && "write to a row that is not open");
    MemoryClock dataEnd = when + s.nCWL + s.nBL;
    raise(bank.precharge, dataEnd + s.nWR);
    raise(group.write, when + s.nCCDL);
    raise(channel.write, when + s.nCCDS);
    raise(group.read, dataEnd + s.nWTRL);
    raise(channel.read, dataEnd + s.nWTRS);
    bus.occupy(/*column=*/true, when + s.columnCommand);
    return;
  }
  }
}
