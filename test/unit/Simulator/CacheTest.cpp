//===- CacheTest.cpp - Caches against closed formulas ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryTestAgents.h"

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

/// Mean cycles of a hop of a pointer chase over `lines`, `rounds` times.
double chase(Hierarchy &h, const std::vector<uint64_t> &lines, unsigned rounds,
             Cycle &warm) {
  Stream first(h.engine, h.l1d, lines, 1);
  EXPECT_EQ(h.engine.run().status, RunStatus::Finished);
  warm = h.engine.now();
  std::vector<uint64_t> again;
  for (unsigned i = 0; i < rounds; ++i)
    again.insert(again.end(), lines.begin(), lines.end());
  size_t hops = again.size();
  Stream second(h.engine, h.l1d, std::move(again), 1);
  h.engine.wake(second, warm);
  EXPECT_EQ(h.engine.run().status, RunStatus::Finished);
  return double(second.last - warm) / hops;
}

TEST(Cache, ChaseIsTheSumOfTheLatencies) {
  Machine m = machine("core-hbm2", {"memory.refresh=false"});
  const CachesParams &c = m.caches;
  auto hit = [](const CacheParams &p) {
    return std::max(p.tagLatency, p.dataLatency);
  };
  auto around = [](const CacheParams &p) {
    return p.tagLatency + p.dataLatency;
  };
  struct {
    uint64_t bytes;
    double expected;
  } levels[] = {
      {c.l1d.sizeBytes / 2, double(hit(c.l1d))},
      {c.l2.sizeBytes / 2, double(around(c.l1d) + hit(c.l2))},
      {c.llc.sizeBytes / 2, double(around(c.l1d) + around(c.l2) + hit(c.llc))},
  };
  for (auto [bytes, expected] : levels) {
    Hierarchy h(m);
    Cycle warm;
    double hop = chase(h, sequential(bytes / lineBytes), 2, warm);
    EXPECT_NEAR(hop, expected, 1) << bytes << " bytes";
  }
}

TEST(Cache, ChaseThroughMemoryAddsEveryLevel) {
  Machine m = machine("core-hbm2", {"memory.refresh=false"});
  const CachesParams &c = m.caches;
  // One line in each row and bank: all banks are closed.
  Hierarchy h(m);
  std::vector<uint64_t> lines = {0};
  Stream stream(h.engine, h.l1d, lines, 1);
  h.engine.run();
  unsigned levels = 0;
  for (const CacheParams *p : {&c.l1d, &c.l2, &c.llc})
    levels += p->tagLatency + p->dataLatency;
  EXPECT_NEAR(double(stream.last), double(levels + h.dram.unloadedLatency()),
              3);
}

TEST(Cache, IndependentMissesFollowLittlesLaw) {
  Machine m = machine("core-hbm2");
  Hierarchy h(m);
  unsigned count = 20000;
  Stream stream(h.engine, h.l1d, randomLines(count, 28), 64);
  ASSERT_EQ(h.engine.run().status, RunStatus::Finished);
  // Misses = MSHRs * time / the time an MSHR is held.
  const CacheStatistics &s = h.l1d.statistics();
  double held = double(s.mshrCycles) / s.total().misses;
  double expected = count * held / m.caches.l1d.mshr;
  EXPECT_NEAR(stream.last / expected, 1, 0.05);
}

TEST(Cache, SameLineMergesIntoOneMiss) {
  Hierarchy h(machine("core-hbm2"));
  Stream stream(h.engine, h.l1d, std::vector<uint64_t>(8, 5), 8);
  h.engine.run();
  CacheTraffic traffic = h.l1d.statistics().total();
  EXPECT_EQ(traffic.misses, 1u);
  EXPECT_EQ(traffic.merged, 7u);
  EXPECT_EQ(h.llc.statistics().total().misses, 1u);
}

TEST(Cache, LeastRecentlyUsedLeavesFirst) {
  Machine m = machine("core-hbm2");
  Hierarchy h(m);
  uint64_t sets = m.caches.l1d.sizeBytes / lineBytes / m.caches.l1d.ways;
  std::vector<uint64_t> lines;
  for (unsigned i = 0; i < m.caches.l1d.ways; ++i)
    lines.push_back(i * sets);
  lines.push_back(0);        // touched again
  lines.push_back(4 * sets); // evicts line 1 * sets
  Stream stream(h.engine, h.l1d, lines, 1);
  h.engine.run();
  EXPECT_TRUE(h.l1d.contains(0));
  EXPECT_FALSE(h.l1d.contains(1 * sets));
  EXPECT_TRUE(h.l1d.contains(2 * sets));
}

TEST(Cache, DirtyLinesGoDownOnce) {
  Machine m = machine("core-hbm2");
  Hierarchy h(m);
  uint64_t sets = m.caches.l1d.sizeBytes / lineBytes / m.caches.l1d.ways;
  for (unsigned i = 0; i < 2 * m.caches.l1d.ways; ++i) {
    LineRequest write;
    write.line = i * sets;
    write.write = write.whole = true;
    write.argument = 3;
    h.l1d.request(write);
  }
  EXPECT_EQ(h.l1d.statistics().byArgument[3].writebacks, m.caches.l1d.ways);
  EXPECT_TRUE(h.l2.containsDirty(0));
}

TEST(Cache, AccessUnitSeesWhatACoreWrote) {
  Hierarchy h(machine("core-hbm2"));
  LineRequest write;
  write.line = 9;
  write.write = write.whole = true;
  h.l1d.request(write);
  Stream unit(h.engine, h.llc, {9}, 1);
  h.engine.run();
  EXPECT_EQ(h.llc.statistics().snoopHits, 1u);
  EXPECT_EQ(h.llc.statistics().total().misses, 0u);
}

} // namespace
