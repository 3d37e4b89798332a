//===- AccessUnitTest.cpp - The access unit alone, against its bounds -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryTestAgents.h"

#include "ember/Simulator/Bounds.h"

using namespace ember::sim;
using namespace ember::sim::test;
using ember::rt::AccessProgram;

namespace {

/// Takes all that becomes visible at once, from every queue; or nothing.
class Drain final : public Agent, public Receiver {
public:
  Drain(Engine &engine, TimedQueue *const *queues, bool takes = true)
      : engine(engine), queues(queues), takes(takes) {
    engine.add(*this);
    if (!takes)
      return;
    for (int i = 0; i < EMBER_QUEUES; ++i)
      queues[i]->waitVisible(1, *this, 0, i);
  }
  void receive(uint32_t, uint64_t i) override {
    uint64_t seen = queues[i]->visible();
    if (seen == ~uint64_t(0))
      return; // closed
    queues[i]->release(seen, engine.now());
    queues[i]->waitVisible(seen + 1, *this, 0, i);
    last = engine.now();
  }
  void tick(Cycle) override {}
  bool finished() const override { return takes; }
  std::string describe() const override {
    return "core 0: waits for queue scalar";
  }
  Cycle last = 0;

private:
  Engine &engine;
  TimedQueue *const *queues;
  bool takes;
};

/// A unit over its caches and memory, with somebody to take what it pushes.
struct System {
  explicit System(const Machine &m, bool takes = true)
      : machine(m), memory(m),
        data(memory.engine, "data", m.queues.dataBytes, 1 << 20),
        scalar(memory.engine, "scalar", m.queues.scalarBytes, 2 << 20),
        token(memory.engine, "token", m.queues.tokenBytes, 3 << 20),
        queues{&data, &scalar, &token}, drain(memory.engine, queues, takes),
        unit(memory.engine, "access unit 0", m,
             {&memory.llc,
              &memory.l2,
              &memory.l1d,
              {&data, &scalar, &token},
              {}},
             addresses) {}

  RunResult run(const AccessProgram &program) {
    unit.start(std::make_shared<AccessProgram>(program));
    return memory.engine.run();
  }

  Machine machine;
  Hierarchy memory;
  AddressMap addresses;
  TimedQueue data, scalar, token;
  TimedQueue *queues[EMBER_QUEUES];
  Drain drain;
  AccessUnit unit;
};

/// `n` rows of `d` floats out of `tableRows`, at random, a token and a chunk
/// each. The table's values are never read, so it is only addresses.
struct Gather {
  Gather(System &system, uint64_t n, int d, uint64_t tableRows) : d(d) {
    for (uint64_t line : randomLines(n, 62))
      indices.push_back(line % tableRows);
    auto *table = reinterpret_cast<const void *>(uint64_t(1) << 40);
    system.addresses.add("indices", indices.data(), n * 8);
    system.addresses.add("table", table, tableRows * d * 4);
    program.constant(0, 0);
    program.constant(1, n);
    program.loop(2, 0, 1, 1, EMBER_QUEUE_TOKEN);
    program.mem(3, indices.data(), 8, EMBER_AU_INT, 1, 1);
    program.dim(2, n, 8);
    program.mem(4, table, 4, EMBER_AU_OPAQUE, d, d);
    program.dim(3, tableRows, d * 4);
    program.dim(0, d, 4);
    program.push(EMBER_QUEUE_DATA, 4, d * 4);
    program.end();
    EXPECT_EQ(program.finish(), "");
  }
  int d;
  std::vector<int64_t> indices;
  AccessProgram program{0};
};

struct Bounds {
  double addresses, inFlight, storage, bandwidth, port, writes;
  double largest() const {
    return std::max({addresses, inFlight, storage, bandwidth, port, writes});
  }
};

/// Cycles of the last run of a gather, and what bounds it.
struct Measured {
  Cycle cycles;
  Bounds bounds;
};

Measured measure(System &system, const Gather &gather, unsigned runs = 1) {
  AccessUnitStatistics before;
  Cycle began = 0;
  for (unsigned i = 0; i < runs; ++i) {
    began = system.memory.engine.now();
    before = system.unit.statistics();
    RunResult result = system.run(gather.program);
    EXPECT_EQ(result.status, RunStatus::Finished) << result.report;
  }
  const Machine &m = system.machine;
  const AccessUnitParams &p = *m.accessUnit;
  const AccessUnitStatistics &after = system.unit.statistics();
  double n = gather.indices.size();
  double requests = after.requests - before.requests;
  double residency = double(after.slotCycles - before.slotCycles) / requests;
  Bounds bounds;
  // One layer makes the addresses of an index and of the lines of its row.
  uint64_t lines = 0, rowBytes = gather.d * 4;
  for (uint64_t index : gather.indices)
    lines += ((index + 1) * rowBytes - 1) / lineBytes -
             index * rowBytes / lineBytes + 1;
  bounds.addresses = (n + lines) / p.addressesPerCycle;
  bounds.storage = after.storageBound - before.storageBound;
  bounds.inFlight = requests * residency / p.outstandingLines;
  bounds.bandwidth = requests * lineBytes / m.peakBytesPerCycle();
  bounds.port = requests / p.requestsPerCycle;
  // A token and a chunk.
  bounds.writes = n * (8 + gather.d * 4) / p.writeBytesPerCycle;
  return {system.memory.engine.now() - began, bounds};
}

void expectBound(const Measured &m, double bound, const char *name) {
  EXPECT_EQ(m.bounds.largest(), bound) << "not bound by " << name;
  EXPECT_NEAR(m.cycles / bound, 1, 0.05) << name;
}

TEST(AccessUnit, RowsFromMemoryAreBoundByLinesInFlight) {
  for (int d : {16, 32, 64, 128}) {
    // Storage enough that the order of the pushes holds back no line.
    System system(
        machine("dae-hbm2", {"access_unit.storage_bytes_per_lane=65536"}));
    Gather gather(system, 20000, d, 1 << 22);
    Measured m = measure(system, gather);
    SCOPED_TRACE(d);
    expectBound(m, m.bounds.inFlight, "lines in flight");
  }
}

TEST(AccessUnit, LongRowsFromMemoryAreBoundByTheStorage) {
  // Seven rows of 2 KB fit; each is held until all its lines are there and all
  // before it is pushed.
  System system(machine("dae-hbm2"));
  Gather gather(system, 4000, 512, 1 << 20);
  Measured m = measure(system, gather);
  expectBound(m, m.bounds.storage, "storage");
}

TEST(AccessUnit, RowsFromTheCacheAreBoundByAddresses) {
  for (int d : {16, 64}) {
    // 512 KB of rows: in the last-level cache after the first run. Writes are
    // made wide so that they do not bind.
    System system(
        machine("dae-hbm2", {"access_unit.write_bytes_per_cycle=256"}));
    Gather gather(system, 20000, d, (512 << 10) / (d * 4));
    Measured m = measure(system, gather, /*runs=*/2);
    SCOPED_TRACE(d);
    expectBound(m, m.bounds.addresses, "addresses");
  }
}

TEST(AccessUnit, NarrowOutputBindsTheWrites) {
  System system(machine("dae-hbm2", {"access_unit.write_bytes_per_cycle=16"}));
  Gather gather(system, 20000, 64, 2048);
  Measured m = measure(system, gather, /*runs=*/2);
  expectBound(m, m.bounds.writes, "writes");
}

TEST(AccessUnit, FewChannelsBindTheBandwidth) {
  // Whole DRAM rows of 1 KB, so that activates do not bind.
  System system(
      machine("dae-hbm2", {"memory.channels=2",
                           "memory.mapping=[\"co\",\"ch\",\"bg\",\"ba\"]",
                           "memory.timings.ccd_l=2", "memory.refresh=false",
                           "memory.read_queue=512", "caches.llc.mshr=512",
                           "access_unit.outstanding_lines=512",
                           "access_unit.storage_bytes_per_lane=65536"}));
  Gather gather(system, 4000, 256, 1 << 20);
  Measured m = measure(system, gather);
  // Lines in flight and storage follow from the bandwidth here.
  EXPECT_GE(m.cycles, m.bounds.bandwidth);
  EXPECT_NEAR(m.cycles / m.bounds.bandwidth, 1, 0.05);
}

TEST(AccessUnit, NoShapeIsFarFromItsLargestBound) {
  for (int d : {2, 8, 16, 48, 100, 512, 1024})
    for (uint64_t rows : {1 << 8, 1 << 14, 1 << 20}) {
      System system(machine("dae-hbm2"));
      Gather gather(system, 4000, d, rows);
      Measured m = measure(system, gather, 2);
      EXPECT_GE(m.cycles * 1.001, m.bounds.largest()) << d << " of " << rows;
      EXPECT_LE(m.cycles, 1.5 * m.bounds.largest()) << d << " of " << rows;
    }
}

TEST(AccessUnit, ReportsItsBounds) {
  System system(machine("dae-hbm2"));
  Gather gather(system, 4000, 64, 1 << 20);
  Measured m = measure(system, gather);
  llvm::json::Object bounds = describeBounds(
      system.machine, system.memory.dram, system.memory.llc,
      CoreWork{/*all=*/4000, /*memory=*/1000, system.memory.l1d, &system.unit});
  EXPECT_EQ(*bounds.getNumber("addresses"), m.bounds.addresses);
  EXPECT_EQ(*bounds.getNumber("requests"), m.bounds.inFlight);
  EXPECT_EQ(*bounds.getNumber("storage"), m.bounds.storage);
  // All tokens, the END with them.
  EXPECT_EQ(*bounds.getNumber("writes"), m.bounds.writes + 8 / 64.0);
  EXPECT_EQ(*bounds.getNumber("micro_ops"),
            4000.0 / system.machine.core.dispatchWidth);
  EXPECT_EQ(*bounds.getNumber("memory_ops"),
            1000.0 / system.machine.core.ports.load);
  // Of 4000 rows out of a million nearly all are distinct, four lines each.
  EXPECT_NEAR(*bounds.getNumber("bandwidth") / m.bounds.bandwidth, 1, 0.01);
  EXPECT_EQ(*bounds.getString("binding"), "storage");
}

TEST(AccessUnit, NeighbouringIndicesShareALine) {
  System system(machine("dae-hbm2"));
  uint64_t n = 8000;
  Gather gather(system, n, 16, 1);
  measure(system, gather);
  // Eight indices a line; all rows are one line, asked for while it is not
  // under way: at least once.
  const auto &traffic = system.memory.llc.statistics().byArgument;
  EXPECT_EQ(traffic[1].hits + traffic[1].misses + traffic[1].merged, n / 8);
  EXPECT_EQ(traffic[2].misses, 1u);
}

TEST(AccessUnit, SlotsNeverExceedTheirNumber) {
  System system(machine("dae-hbm2", {"access_unit.outstanding_lines=7"}));
  Gather gather(system, 2000, 64, 1 << 20);
  measure(system, gather);
  EXPECT_EQ(system.unit.statistics().peakOutstanding, 7u);
  EXPECT_EQ(system.unit.outstanding(), 0u);
}

TEST(AccessUnit, PushesWhatTheWalkPushes) {
  System system(machine("dae-hbm2"));
  Gather gather(system, 1000, 64, 1 << 20);
  measure(system, gather);
  EXPECT_EQ(system.data.statistics().pushes, 1000u);
  EXPECT_EQ(system.data.statistics().bytes, 1000u * 256);
  EXPECT_EQ(system.token.statistics().pushes, 1001u);
  EXPECT_EQ(system.data.produced(), 1000u * 256);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// `n` rows of `d` floats out of `tableRows`, at random, copied to memory that
/// begins `offset` bytes after the start of a line.
struct Copy {
  Copy(System &system, uint64_t n, int d, uint64_t tableRows,
       uint64_t offset = 0) {
    for (uint64_t line : randomLines(n, 62))
      indices.push_back(line % tableRows);
    auto *table = reinterpret_cast<const void *>(uint64_t(1) << 40);
    auto out = (uint64_t(1) << 41) + offset;
    system.addresses.add("indices", indices.data(), n * 8);
    system.addresses.add("table", table, tableRows * d * 4);
    system.addresses.add("out", reinterpret_cast<void *>(out - offset),
                         offset + n * d * 4);
    program.constant(0, 0);
    program.constant(1, n);
    program.loop(2, 0, 1, 1, -1);
    program.mem(3, indices.data(), 8, EMBER_AU_INT, 1, 1);
    program.dim(2, n, 8);
    program.mem(4, table, 4, EMBER_AU_OPAQUE, d, d);
    program.dim(3, tableRows, d * 4);
    program.dim(0, d, 4);
    program.store(5, 4, reinterpret_cast<void *>(out), 4, d);
    program.dim(2, n, d * 4);
    program.dim(0, d, 4);
    program.end();
    EXPECT_EQ(program.finish(), "");
  }
  std::vector<int64_t> indices;
  AccessProgram program{0};
};

TEST(AccessUnit, WholeLinesAreWrittenWithoutAFetch) {
  for (int d : {4, 16, 48, 64}) {
    System system(machine("dae-hbm2"));
    Copy copy(system, 1024, d, 4096);
    ASSERT_EQ(system.run(copy.program).status, RunStatus::Finished);
    const AccessUnitStatistics &stats = system.unit.statistics();
    EXPECT_EQ(stats.bytesStored, 1024u * d * 4);
    EXPECT_EQ(stats.linesWritten, 1024u * d * 4 / lineBytes) << d;
    EXPECT_EQ(stats.partialLines, 0u) << d;
    EXPECT_EQ(system.memory.llc.statistics().byArgument[3].misses, 0u) << d;
  }
}

TEST(AccessUnit, OnlyTheEndsOfAnUnalignedBufferAreFetched) {
  System system(machine("dae-hbm2"));
  Copy copy(system, 1024, 16, 4096, /*offset=*/20);
  ASSERT_EQ(system.run(copy.program).status, RunStatus::Finished);
  const AccessUnitStatistics &stats = system.unit.statistics();
  EXPECT_EQ(stats.linesWritten, 1025u);
  EXPECT_EQ(stats.partialLines, 2u);
  EXPECT_EQ(system.memory.llc.statistics().byArgument[3].misses, 2u);
}

TEST(AccessUnit, ModifiedLinesOfPrivateCachesAreTakenOver) {
  System system(machine("dae-hbm2"));
  Copy copy(system, 1, 4, 16); // a quarter of a line
  uint64_t line =
      system.addresses.find(uint64_t(1) << 41)->simulated >> lineShift;
  system.memory.l2.install(line, 0);
  ASSERT_EQ(system.run(copy.program).status, RunStatus::Finished);
  EXPECT_FALSE(system.memory.l2.contains(line));
  EXPECT_TRUE(system.memory.llc.containsDirty(line));
  EXPECT_EQ(system.memory.llc.statistics().byArgument[3].misses, 0u);
}

/// Cycles a row of copies from a table in the last-level cache.
double copyCycles(const std::vector<std::string> &overrides, uint64_t n,
                  int d) {
  System system(machine("dae-hbm2", overrides));
  Copy copy(system, n, d, 1024);
  system.run(copy.program);
  Cycle began = system.memory.engine.now();
  EXPECT_EQ(system.run(copy.program).status, RunStatus::Finished);
  return double(system.memory.engine.now() - began) / n;
}

TEST(AccessUnit, CopiesFromTheCacheAreBoundByAddresses) {
  // One of the index and one of each line; writing runs beside reading.
  EXPECT_NEAR(copyCycles({}, 8000, 64) / 5, 1, 0.05);
}

TEST(AccessUnit, CopiesAreBoundByTheOutput) {
  EXPECT_NEAR(copyCycles({"access_unit.write_bytes_per_cycle=32"}, 8000, 64) /
                  8,
              1, 0.05);
}

TEST(AccessUnit, AStoreOutsideItsBufferIsAFault) {
  System system(machine("dae-hbm2"));
  Copy copy(system, 100, 16, 1024);
  AccessProgram p(0);
  p.constant(0, 0);
  p.store(1, 0, reinterpret_cast<void *>(uint64_t(1) << 41), 4, 5);
  p.dim(0, 4, 4);
  ASSERT_EQ(p.finish(), "");
  EXPECT_EQ(system.run(p).status, RunStatus::Finished);
  ASSERT_TRUE(system.unit.fault());
  EXPECT_EQ(system.unit.fault()->op, 1);
}

TEST(AccessUnit, EmptyLoopsTakeACycleEach) {
  // 1000 empty bags: both traversals and the pushes step through them.
  System system(machine("dae-hbm2"));
  std::vector<int64_t> zero = {0};
  system.addresses.add("indices", zero.data(), 8);
  AccessProgram p(0);
  p.constant(0, 0);
  p.constant(1, 1000);
  p.loop(2, 0, 1, 1, -1);
  p.loop(3, 0, 0, 1, -1);
  p.mem(4, zero.data(), 8, EMBER_AU_INT, 1, 1);
  p.dim(3, 1, 8);
  p.push(EMBER_QUEUE_SCALAR, 4, 8);
  p.end();
  p.end();
  ASSERT_EQ(p.finish(), "");
  RunResult result = system.run(p);
  EXPECT_EQ(result.status, RunStatus::Finished);
  EXPECT_EQ(result.cycles, 1000u);
}

TEST(AccessUnit, AFaultClosesTheQueuesAndEndsTheProgram) {
  System system(machine("dae-hbm2"));
  Gather gather(system, 100, 64, 1 << 20);
  gather.indices[50] = int64_t(1) << 58;
  RunResult result = system.run(gather.program);
  EXPECT_EQ(result.status, RunStatus::Finished);
  ASSERT_TRUE(system.unit.fault());
  EXPECT_EQ(system.unit.fault()->op, 4);
  EXPECT_EQ(system.unit.fault()->position, 50);
  EXPECT_EQ(system.data.statistics().pushes, 50u);
}

TEST(AccessUnit, ADeadlockNamesBothSides) {
  // The core waits for a scalar the program never sends, and takes no data.
  System system(machine("dae-hbm2"), /*takes=*/false);
  Gather gather(system, 1000, 64, 1 << 20);
  RunResult result = system.run(gather.program);
  EXPECT_EQ(result.status, RunStatus::Deadlock);
  EXPECT_EQ(result.report,
            "core 0: waits for queue scalar\n"
            "access unit 0, kernel 0: waits for room for 256 bytes in queue "
            "data (16384 of 16384 bytes used)");
}

TEST(AccessUnit, SaysWhatItCannotRun) {
  System system(machine("dae-hbm2", {"access_unit.layers=1"}));
  Gather wide(system, 1, 8192, 4);
  EXPECT_EQ(system.unit.check(wide.program),
            "an element of 32768 bytes does not fit queue data");
  Gather row(system, 1, 4096, 4);
  EXPECT_EQ(system.unit.check(row.program),
            "one element of each stream takes 16392 bytes; the access unit "
            "stores 16384");
  System strict(machine("tmu-strict"));
  Copy copy(strict, 1, 16, 4);
  EXPECT_EQ(strict.unit.check(copy.program),
            "the kernel stores; the access unit cannot");
  AccessProgram deep(0);
  deep.constant(0, 0);
  deep.loop(1, 0, 0, 1, -1);
  deep.loop(2, 0, 0, 1, -1);
  deep.end();
  deep.end();
  EXPECT_EQ(system.unit.check(deep),
            "the kernel nests 2 loops; the access unit has 1 layers");
}

// A little slower is possible: with more requests at once, rows of the memory
// are opened in another order.
TEST(AccessUnit, MoreOfAnythingIsNotSlower) {
  auto cycles = [](std::vector<std::string> overrides) {
    System system(machine("dae-hbm2", overrides));
    Gather gather(system, 4000, 64, 1 << 20);
    return measure(system, gather).cycles;
  };
  Cycle base = cycles({});
  for (const char *more :
       {"access_unit.outstanding_lines=256",
        "access_unit.addresses_per_cycle=2",
        "access_unit.write_bytes_per_cycle=128", "queues.data_bytes=32768",
        "caches.llc.mshr=256", "access_unit.storage_bytes_per_lane=4096"})
    EXPECT_LE(cycles({more}), base * 1.02) << more;
}

} // namespace
