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

/// No hash, and the banks' bits above all others.
const std::vector<std::string> oneBank = {
    "memory.hash=false", "memory.mapping=[\"ch\",\"co\",\"bg\",\"ba\"]"};

/// A line of each of the first rows of one bank.
std::vector<uint64_t> rowsOfOneBank(const Machine &m, size_t count) {
  const DramStandard &s = m.memory.timings;
  uint64_t linesBetweenRows =
      uint64_t(m.memory.channels) * s.banks() * s.rowBytes / lineBytes;
  std::vector<uint64_t> lines(count);
  for (size_t i = 0; i < lines.size(); ++i)
    lines[i] = i * linesBetweenRows;
  return lines;
}

TEST(Dram, OneBankGivesOneRowEachRC) {
  std::vector<std::string> overrides = oneBank;
  overrides.push_back("memory.refresh=false");
  Machine m = machine("core-hbm2", overrides);
  const DramStandard &s = m.memory.timings;
  // ACT, RCD, two reads CCD_L apart, RTP, PRE, RP; or RC if that is longer.
  double clocks =
      std::max(s.nRC, std::max(s.nRAS, s.nRCDRD + s.nCCDL + s.nRTP) + s.nRP);
  double cycles = clocks * s.tCKps * m.clockMHz / 1e6;
  EXPECT_NEAR(bandwidth(m, rowsOfOneBank(m, 1000), 64) / (lineBytes / cycles),
              1, 0.01);
}

//===----------------------------------------------------------------------===//
// Refresh
//===----------------------------------------------------------------------===//

/// One access at a time. The expected cycles of a hop are
///   (latency of a row conflict - RP x share of rows found closed)
///     / (1 - (RFC + RP) / REFI).
void expectChase(const Machine &m, std::vector<uint64_t> lines,
                 double tolerance) {
  Engine engine;
  Dram dram(engine, m);
  double hops = lines.size();
  Stream stream(engine, dram, std::move(lines), 1);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  double foundClosed = 0;
  for (const DramChannelStatistics &channel : dram.channels())
    foundClosed += channel.activates - channel.precharges;
  const DramStandard &s = m.memory.timings;
  double precharge = s.nRP * s.tCKps * m.clockMHz / 1e6;
  double latency =
      dram.unloadedLatency() + precharge * (1 - foundClosed / hops);
  double expected = latency / (1 - (m.memory.refresh ? refreshShare(s) : 0));
  EXPECT_NEAR(stream.last / (hops * expected), 1, tolerance) << m.name;
}

TEST(Dram, ChaseTakesTheLatencyAndTheRefreshShare) {
  // Two core cycles a memory clock: no hop waits for an edge of the slower.
  for (auto [name, clock] :
       {std::pair<const char *, const char *>{"core-hbm2", "clock_mhz=2000"},
        {"core-ddr4", "clock_mhz=3200"}})
    for (bool refresh : {false, true}) {
      std::vector<std::string> overrides = {
          clock, refresh ? "memory.refresh=true" : "memory.refresh=false"};
      // Without refresh all that differs is a row met twice in a row.
      double tolerance = refresh ? 0.01 : 0.001;
      expectChase(machine(name, overrides), randomLines(20000, 26), tolerance);
      // All in one bank.
      overrides.insert(overrides.end(), oneBank.begin(), oneBank.end());
      Machine m = machine(name, overrides);
      expectChase(m, rowsOfOneBank(m, 20000), tolerance);
    }
}

TEST(Dram, AShiftByRefreshIntervalsChangesNothing) {
  for (const char *name : {"core-hbm2", "core-ddr4"}) {
    Machine m = machine(name);
    const DramStandard &s = m.memory.timings;
    Cycle interval = Cycle(s.nREFI) * s.tCKps * m.clockMHz / 1000000;
    auto cycles = [&](Cycle start) {
      Hierarchy h(m);
      Stream stream(h.engine, h.l1d, randomLines(5000, 24), 64, start);
      EXPECT_EQ(h.engine.run().status, RunStatus::Finished);
      return stream.last - start;
    };
    // From the first refresh on, and from between two.
    for (Cycle start : {interval, interval * 3 / 2})
      for (unsigned intervals : {1, 2, 17, 100000})
        EXPECT_EQ(cycles(start + intervals * interval), cycles(start))
            << name << ", shifted by " << intervals;
  }
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
