//===- DramTest.cpp - Memory against closed formulas ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryTestAgents.h"

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

//===----------------------------------------------------------------------===//
// Each timing: legal at t, refused at t - 1
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

TEST(DramBanks, EveryTimingIsLegalAtTAndRefusedBefore) {
  for (const DramStandard &standard : dramStandards()) {
    for (const TimingCase &c : timingCases(standard)) {
      CommandBus bus;
      bus.split = standard.splitCommandBus;
      DramBanks banks(standard, bus);
      for (const DramCommandRecord &r : c.before)
        banks.issue(r.command, r.bank, r.row, r.when);
      EXPECT_EQ(banks.earliest(c.command, c.bank), c.expected)
          << standard.name << ": " << c.name;
    }
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
// The schedule of one access, command by command
//===----------------------------------------------------------------------===//

TEST(Dram, OneReadIsActivateThenItsBursts) {
  Machine m = machine("core-hbm2", {"memory.frontend_ns=0"});
  Engine engine;
  Dram dram(engine, m);
  std::vector<DramCommandRecord> log;
  dram.setLog(&log);
  Stream stream(engine, dram, {0}, 1);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  const DramStandard &s = m.memory.timings;
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].command, DramCommand::Activate);
  EXPECT_EQ(log[1].when - log[0].when, s.nRCDRD);
  EXPECT_EQ(log[2].when - log[1].when, s.nCCDL);
  // The last burst ends CL + BL after its command; 2.4 core cycles a clock,
  // rounded up to the next cycle.
  unsigned clocks = s.nRCDRD + s.nCCDL + s.nCL + s.nBL;
  EXPECT_EQ(stream.last, (clocks * 24 + 9) / 10 + m.memory.backendNs * 24 / 10);
  EXPECT_EQ(stream.last, dram.unloadedLatency());
}

TEST(Dram, RandomTrafficBreaksNoTiming) {
  for (const char *name : {"core-hbm2", "core-ddr4"}) {
    Machine m = machine(name);
    Engine engine;
    Dram dram(engine, m);
    std::vector<DramCommandRecord> log;
    dram.setLog(&log);
    // Writes of every third line run beside the reads.
    Stream reads(engine, dram, randomLines(20000, 24), 512);
    for (uint64_t line : randomLines(6000, 22)) {
      LineRequest write;
      write.line = line;
      write.write = write.whole = true;
      dram.request(write);
    }
    EXPECT_EQ(engine.run().status, RunStatus::Finished);

    // Replays the log: each command must be legal when it was issued.
    const DramStandard &s = m.memory.timings;
    std::vector<CommandBus> buses(m.memory.channels);
    std::vector<DramBanks> channels;
    for (unsigned i = 0; i < m.memory.channels; ++i) {
      buses[i].split = s.splitCommandBus;
      channels.emplace_back(s, buses[i / s.channelsPerCommandBus]);
    }
    for (const DramCommandRecord &r : log) {
      ASSERT_GE(r.when, channels[r.channel].earliest(r.command, r.bank));
      channels[r.channel].issue(r.command, r.bank, r.row, r.when);
    }
  }
}

//===----------------------------------------------------------------------===//
// Throughput
//===----------------------------------------------------------------------===//

/// Bytes a core cycle of a stream.
double bandwidth(const Machine &m, std::vector<uint64_t> lines,
                 unsigned inFlight) {
  Engine engine;
  Dram dram(engine, m);
  size_t count = lines.size();
  Stream stream(engine, dram, std::move(lines), inFlight);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  return count * lineBytes / double(stream.last);
}

double refreshShare(const DramStandard &s) {
  return double(s.nRFC + s.nRP) / s.nREFI;
}

TEST(Dram, SequentialReadIsPeakLessRefresh) {
  for (const char *name : {"core-hbm2", "core-ddr4"}) {
    Machine m = machine(name);
    double expected =
        m.peakBytesPerCycle() * (1 - refreshShare(m.memory.timings));
    EXPECT_NEAR(bandwidth(m, sequential(400000), 1024) / expected, 1, 0.03)
        << name;
  }
}

TEST(Dram, RandomReadIsBankLimited) {
  for (const char *name : {"core-hbm2", "core-ddr4"}) {
    Machine m = machine(name, {"memory.read_queue=256"});
    const DramStandard &s = m.memory.timings;
    // Clocks a random line takes of a channel: its data, the activate rate,
    // the banks, and the row commands of all channels on the bus.
    unsigned bursts = lineBytes / s.burstBytes();
    unsigned rowCommands = s.actCommand + s.preCommand;
    unsigned commands = s.splitCommandBus
                            ? rowCommands
                            : rowCommands + bursts * s.columnCommand;
    double clocks = std::max({double(bursts * s.nBL), double(s.nRRDS),
                              s.nFAW / 4.0, double(s.nRC) / s.banks(),
                              double(commands * s.channelsPerCommandBus)});
    double expected = m.peakBytesPerCycle() * (bursts * s.nBL / clocks) *
                      (1 - refreshShare(s));
    EXPECT_NEAR(bandwidth(m, randomLines(200000, 26), 256 * m.memory.channels) /
                    expected,
                1, 0.05)
        << name;
  }
}

TEST(Dram, OneBankGivesOneRowEachRC) {
  // Consecutive rows of one bank: neither hash nor other banks.
  Machine m =
      machine("core-hbm2", {"memory.hash=false", "memory.refresh=false",
                            "memory.mapping=[\"ch\",\"co\",\"bg\",\"ba\"]"});
  const DramStandard &s = m.memory.timings;
  uint64_t linesBetweenRows =
      uint64_t(m.memory.channels) * s.banks() * s.rowBytes / lineBytes;
  std::vector<uint64_t> lines(1000);
  for (size_t i = 0; i < lines.size(); ++i)
    lines[i] = i * linesBetweenRows;
  // ACT, RCD, two reads CCD_L apart, RTP, PRE, RP; or RC if that is longer.
  double clocks =
      std::max(s.nRC, std::max(s.nRAS, s.nRCDRD + s.nCCDL + s.nRTP) + s.nRP);
  double cycles = clocks * s.tCKps * m.clockMHz / 1e6;
  EXPECT_NEAR(bandwidth(m, lines, 64) / (lineBytes / cycles), 1, 0.01);
}

TEST(Dram, TheSameTraceTakesTheSameCycles) {
  Machine m = machine("core-hbm2");
  double first = bandwidth(m, randomLines(20000, 26), 300);
  EXPECT_EQ(first, bandwidth(m, randomLines(20000, 26), 300));
}

TEST(DramMapping, IsOneToOne) {
  for (const char *name : {"core-hbm2", "core-ddr4"}) {
    Machine m = machine(name);
    DramMapping mapping(m.memory);
    // All lines of a few rows: each column set of a bank and row is full.
    unsigned columns = m.memory.timings.rowBytes / lineBytes;
    unsigned places = m.memory.channels * m.memory.timings.banks();
    std::vector<unsigned> seen(places * 4);
    for (uint64_t line = 0; line < uint64_t(places) * columns * 4; ++line) {
      DramPlace p = mapping.place(line);
      ASSERT_LT(p.row, 4u);
      ++seen[(p.row * m.memory.channels + p.channel) *
                 m.memory.timings.banks() +
             p.bank];
    }
    for (unsigned count : seen)
      ASSERT_EQ(count, columns) << name;
  }
}

TEST(DramMapping, SaysWhatIsWrong) {
  auto error = [](std::string mapping) {
    auto m = Machine::load("core-hbm2", {"memory.mapping=" + mapping});
    return m ? "" : llvm::toString(m.takeError());
  };
  EXPECT_NE(error("[\"ch\",\"bg\",\"co\"]").find("2 bits of ba are missing"),
            std::string::npos);
  EXPECT_NE(error("[\"ch:5\",\"bg\",\"co\",\"ba\"]").find("more bits than ch"),
            std::string::npos);
  EXPECT_NE(error("[\"rank\"]").find("'rank' is not one of"),
            std::string::npos);
}

} // namespace
