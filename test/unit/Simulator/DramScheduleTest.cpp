//===- DramScheduleTest.cpp - What the memory controllers do, by command --===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryTestAgents.h"
#include "TimingRules.h"

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

/// HBM2 at one core cycle a memory clock, with nothing before the queues.
/// Consecutive lines of a channel lie in one row.
Machine oneCycleAClock() {
  return machine("core-hbm2",
                 {"clock_mhz=1000", "memory.frontend_ns=0", "memory.hash=false",
                  "memory.mapping=[\"co\",\"ch\",\"bg\",\"ba\"]"});
}

/// From a row to the next row of its bank, in lines.
uint64_t linesBetweenRows(const Machine &m) {
  const DramStandard &s = m.memory.timings;
  return uint64_t(m.memory.channels) * s.banks() * s.rowBytes / lineBytes;
}

struct Access {
  Cycle when;
  uint64_t line;
  bool write;
};

/// Sends accesses when they are due, and waits for no answers.
class Script final : public Agent {
public:
  Script(Engine &engine, MemoryLevel &memory, std::vector<Access> accesses)
      : engine(engine), memory(memory), left(std::move(accesses)) {
    engine.add(*this);
    engine.wake(*this, left.front().when);
  }
  void tick(Cycle now) override {
    while (!left.empty() && left.front().when <= now) {
      LineRequest request;
      request.line = left.front().line;
      request.write = request.whole = left.front().write;
      memory.request(request);
      left.erase(left.begin());
    }
    if (!left.empty())
      engine.wake(*this, left.front().when);
  }
  bool finished() const override { return left.empty(); }
  std::string describe() const override { return "script"; }

private:
  Engine &engine;
  MemoryLevel &memory;
  std::vector<Access> left;
};

using Commands = std::vector<std::pair<MemoryClock, DramCommand>>;

/// The commands that `accesses` lead to, all in one channel.
Commands commands(const Machine &m, std::vector<Access> accesses) {
  Engine engine;
  Dram dram(engine, m);
  std::vector<DramCommandRecord> log;
  dram.setLog(&log);
  Cycle last = accesses.back().when;
  Script script(engine, dram, std::move(accesses));
  // An access of another channel, long after.
  Stream end(engine, dram, {m.memory.timings.rowBytes / lineBytes}, 1,
             last + 3000);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  Commands result;
  for (const DramCommandRecord &r : log)
    if (r.channel == log.front().channel)
      result.push_back({r.when, r.command});
  return result;
}

TEST(DramSchedule, ReadsOfOneRowShareItsActivate) {
  Machine m = oneCycleAClock();
  const DramStandard &s = m.memory.timings;
  // Two bursts a line.
  Commands expected = {{0, DramCommand::Activate}};
  for (unsigned burst = 0; burst < 4; ++burst)
    expected.push_back({s.nRCDRD + burst * s.nCCDL, DramCommand::Read});
  EXPECT_EQ(commands(m, {{0, 0, false}, {0, 1, false}}), expected);
}

TEST(DramSchedule, AnotherRowOfTheBankWaitsForRasOrRtp) {
  Machine m = oneCycleAClock();
  const DramStandard &s = m.memory.timings;
  unsigned lastRead = s.nRCDRD + s.nCCDL;
  unsigned precharge = std::max(s.nRAS, lastRead + s.nRTP);
  unsigned activate = std::max(precharge + s.nRP, s.nRC);
  Commands expected = {{0, DramCommand::Activate},
                       {s.nRCDRD, DramCommand::Read},
                       {lastRead, DramCommand::Read},
                       {precharge, DramCommand::Precharge},
                       {activate, DramCommand::Activate},
                       {activate + s.nRCDRD, DramCommand::Read},
                       {activate + lastRead, DramCommand::Read}};
  EXPECT_EQ(commands(m, {{0, 0, false}, {0, linesBetweenRows(m), false}}),
            expected);
}

TEST(DramSchedule, WritesGoAfterTheReadsOnceTheBusHasTurned) {
  Machine m = oneCycleAClock();
  const DramStandard &s = m.memory.timings;
  unsigned lastRead = s.nRCDRD + s.nCCDL;
  unsigned write = lastRead + s.nCL + s.nBL + 2 - s.nCWL;
  Commands expected = {{0, DramCommand::Activate},
                       {s.nRCDRD, DramCommand::Read},
                       {lastRead, DramCommand::Read},
                       {write, DramCommand::Write},
                       {write + s.nCCDL, DramCommand::Write}};
  EXPECT_EQ(commands(m, {{0, 1, true}, {0, 0, false}}), expected);
}

TEST(DramSchedule, AReadAfterAWriteWaitsForWtr) {
  Machine m = oneCycleAClock();
  const DramStandard &s = m.memory.timings;
  unsigned lastWrite = s.nRCDWR + s.nCCDL;
  unsigned read = lastWrite + s.nCWL + s.nBL + s.nWTRL;
  Commands expected = {{0, DramCommand::Activate},
                       {s.nRCDWR, DramCommand::Write},
                       {lastWrite, DramCommand::Write},
                       {read, DramCommand::Read},
                       {read + s.nCCDL, DramCommand::Read}};
  EXPECT_EQ(commands(m, {{0, 0, true}, {lastWrite + 1, 1, false}}), expected);
}

TEST(DramSchedule, ARefreshThatIsDueGoesFirst) {
  Machine m = oneCycleAClock();
  const DramStandard &s = m.memory.timings;
  // The read has just opened its row, which is closed again after RAS.
  unsigned precharge = s.nREFI - 1 + s.nRAS;
  unsigned refresh = precharge + s.nRP;
  unsigned activate = refresh + s.nRFC;
  Commands expected = {{s.nREFI - 1, DramCommand::Activate},
                       {precharge, DramCommand::PrechargeAll},
                       {refresh, DramCommand::Refresh},
                       {activate, DramCommand::Activate},
                       {activate + s.nRCDRD, DramCommand::Read},
                       {activate + s.nRCDRD + s.nCCDL, DramCommand::Read}};
  EXPECT_EQ(commands(m, {{s.nREFI - 1, 0, false}}), expected);
}

TEST(DramSchedule, AnIdleChannelRefreshesEveryRefi) {
  Machine m = oneCycleAClock();
  const DramStandard &s = m.memory.timings;
  // The first read leaves its row open; the second comes during the third
  // refresh.
  unsigned activate = 3 * s.nREFI + s.nRFC;
  Commands expected = {{0, DramCommand::Activate},
                       {s.nRCDRD, DramCommand::Read},
                       {s.nRCDRD + s.nCCDL, DramCommand::Read},
                       {s.nREFI, DramCommand::PrechargeAll},
                       {s.nREFI + s.nRP, DramCommand::Refresh},
                       {2 * s.nREFI, DramCommand::Refresh},
                       {3 * s.nREFI, DramCommand::Refresh},
                       {activate, DramCommand::Activate},
                       {activate + s.nRCDRD, DramCommand::Read},
                       {activate + s.nRCDRD + s.nCCDL, DramCommand::Read}};
  EXPECT_EQ(commands(m, {{0, 0, false}, {3 * s.nREFI + 10, 0, false}}),
            expected);
}

TEST(DramSchedule, AnAnswerComesCasLatencyAndBurstAfterTheLastRead) {
  Machine m = machine("core-hbm2", {"memory.frontend_ns=0"});
  Engine engine;
  Dram dram(engine, m);
  Stream stream(engine, dram, {0}, 1);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  const DramStandard &s = m.memory.timings;
  // 2.4 core cycles a clock, rounded up to the next cycle.
  unsigned clocks = s.nRCDRD + s.nCCDL + s.nCL + s.nBL;
  EXPECT_EQ(stream.last, (clocks * 24 + 9) / 10 + m.memory.backendNs * 24 / 10);
  EXPECT_EQ(stream.last, dram.unloadedLatency());
}

/// Holds the commands of a run against the rules, each row against its state,
/// and the buses against two owners at once.
void expectLegal(const std::vector<DramCommandRecord> &log,
                 const MemoryParams &memory) {
  const DramStandard &s = memory.timings;
  std::vector<TimingRules> channels(memory.channels, TimingRules(s));
  std::vector<MemoryClock> dataFree(memory.channels);
  std::vector<CommandBus> buses(memory.channels, {s.splitCommandBus});
  for (const DramCommandRecord &r : log) {
    TimingRules &rules = channels[r.channel];
    ASSERT_GE(r.when, rules.earliest(r.command, r.bank));
    CommandBus &bus = buses[r.channel / s.channelsPerCommandBus];
    switch (r.command) {
    case DramCommand::Activate:
      ASSERT_EQ(rules.openRow(r.bank), DramBanks::closed);
      ASSERT_GE(r.when, bus.freeFor(false));
      bus.occupy(false, r.when + s.actCommand);
      break;
    case DramCommand::Precharge:
      ASSERT_GE(r.when, bus.freeFor(false));
      bus.occupy(false, r.when + s.preCommand);
      break;
    case DramCommand::Read:
    case DramCommand::Write: {
      ASSERT_EQ(rules.openRow(r.bank), r.row);
      ASSERT_GE(r.when, bus.freeFor(true));
      bus.occupy(true, r.when + s.columnCommand);
      MemoryClock data =
          r.when + (r.command == DramCommand::Read ? s.nCL : s.nCWL);
      ASSERT_GE(data, dataFree[r.channel]);
      dataFree[r.channel] = data + s.nBL;
      break;
    }
    case DramCommand::PrechargeAll:
      break;
    case DramCommand::Refresh:
      ASSERT_FALSE(rules.anyOpen());
      break;
    }
    rules.add(r);
  }
}

TEST(DramSchedule, RandomTrafficBreaksNoTiming) {
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
    expectLegal(log, m.memory);
  }
}

} // namespace
