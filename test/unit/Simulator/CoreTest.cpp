//===- CoreTest.cpp - The core model against closed formulas --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Loops of known shape; the start and the end of a run cancel in the difference
// of two runs.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

/// Cycles an iteration, from runs of 1000 and 3000.
double cyclesPerIteration(const Machine &machine, const std::string &text,
                          std::vector<SessionArgument> arguments = {}) {
  auto cycles = [&](uint64_t n) {
    std::vector<SessionArgument> all = {scalar(n)};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return double(runOk(machine, text, "f", all).cycles);
  };
  return (cycles(3000) - cycles(1000)) / 2000;
}

/// `count` independent chains of `op`, each one step an iteration.
std::string chains(unsigned count, const std::string &type,
                   const std::string &op, const std::string &operand) {
  std::vector<Carried> carried;
  std::string body;
  for (unsigned i = 0; i < count; ++i) {
    std::string a = "%a" + std::to_string(i), b = "%b" + std::to_string(i);
    carried.push_back({type, type == "i64" ? "1" : "1.0", a, b});
    body +=
        "  " + b + " = " + op + " " + type + " " + a + ", " + operand + "\n";
  }
  return loop("", carried, body);
}

TEST(CoreTest, DependentAddsTakeTheirLatency) {
  std::string body, last = "%a";
  for (int i = 0; i < 8; ++i) {
    std::string next = "%s" + std::to_string(i);
    body += "  " + next + " = fadd double " + last + ", 1.5\n";
    last = next;
  }
  std::string text = loop("", {{"double", "0.0", "%a", last}}, body);
  // 8 adds x 2 cycles.
  EXPECT_DOUBLE_EQ(cyclesPerIteration(machine(), text), 8 * 2);
}

TEST(CoreTest, IndependentAddsTakeTheirPorts) {
  // 16 adds on 2 pipes; 18 micro-ops a cycle would need 4.5 cycles of dispatch.
  std::string text = chains(16, "double", "fadd", "1.5");
  EXPECT_NEAR(cyclesPerIteration(machine(), text), 16 / 2.0, 0.08);
}

TEST(CoreTest, DispatchWidthLimitsSimpleCode) {
  // 6 vector adds, a counter and a branch, 4 a cycle.
  std::string text = chains(6, "double", "fadd", "1.5");
  EXPECT_NEAR(cyclesPerIteration(machine({"core.ports.vector=6"}), text),
              8 / 4.0, 0.02);
}

TEST(CoreTest, IntegerPortsAreSharedWithMultiply) {
  // 11 adds and the counter on 3 pipes.
  Machine wide = machine({"core.dispatch_width=8"});
  EXPECT_NEAR(cyclesPerIteration(wide, chains(11, "i64", "add", "%i")),
              12 / 3.0, 0.04);
  // 4 multiplications, each of which holds the one multi-cycle pipe for 3.
  EXPECT_NEAR(cyclesPerIteration(wide, chains(4, "i64", "mul", "%i")), 4 * 3,
              0.12);
}

TEST(CoreTest, DivisionsHoldTheirPipe) {
  // S-form: 7 cycles apart.
  EXPECT_NEAR(cyclesPerIteration(machine(), chains(4, "float", "fdiv", "1.5")),
              4 * 7, 0.28);
}

TEST(CoreTest, WideVectorsAreSplit) {
  std::string text = chains(1, "<32 x float>", "fadd", "zeroinitializer");
  for (size_t at; (at = text.find("[ 1.0,")) != std::string::npos;)
    text.replace(at, 6, "[ zeroinitializer,");
  // Two parts, side by side: still one latency an iteration.
  EXPECT_DOUBLE_EQ(cyclesPerIteration(machine(), text), 2);
  SessionOutcome outcome = runOk(machine(), text, "f", {scalar(100)});
  const llvm::json::Object *ops =
      outcome.statistics.getObject("core")->getObject("micro_ops_by_class");
  EXPECT_EQ(ops->getInteger("FpAdd"), 200);
}

TEST(CoreTest, MultiplyAddsAreFused) {
  std::string text = loop("", {{"float", "0.0", "%a", "%s"}},
                          "  %m = fmul contract float 1.5, 1.25\n"
                          "  %s = fadd contract float %m, %a\n");
  EXPECT_DOUBLE_EQ(cyclesPerIteration(machine(), text), 4);
}

TEST(CoreTest, LoadsTakeStoredDataFromTheQueue) {
  // load (forwarded: as an L1D hit, 4) + add (1) + store (1) in a chain.
  std::string text = loop("ptr %p", {},
                          "  %x = load i64, ptr %p\n"
                          "  %y = add i64 %x, 1\n"
                          "  store i64 %y, ptr %p\n");
  std::vector<int64_t> cell(1);
  EXPECT_DOUBLE_EQ(
      cyclesPerIteration(machine(), text, {array("cell", cell, true)}), 6);
}

TEST(CoreTest, CycleStackSumsToTheCycles) {
  std::string text = loop("ptr %p", {},
                          "  %q = getelementptr double, ptr %p, i64 %i\n"
                          "  %x = load double, ptr %q\n"
                          "  %y = fadd double %x, 1.0\n"
                          "  store double %y, ptr %q\n");
  std::vector<double> values(5000);
  SessionOutcome outcome = runOk(
      machine(), text, "f", {scalar(uint64_t(5000)), array("p", values, true)});
  auto sum = [](const llvm::json::Object *parts) {
    int64_t total = 0;
    for (const auto &part : *parts)
      total += *part.second.getAsInteger();
    return uint64_t(total);
  };
  EXPECT_EQ(sum(outcome.statistics.getObject("core")->getObject("cycle_stack")),
            outcome.cycles);
  EXPECT_EQ(sum(outcome.statistics.getObject("parts")), outcome.cycles);
  EXPECT_EQ(values[4999], 1.0);
}

//===----------------------------------------------------------------------===//
// Pointer chases
//===----------------------------------------------------------------------===//

/// Cycles a hop around a ring of lines that fills `bytes`, once it is warm.
double chase(const Machine &machine, uint64_t bytes) {
  uint64_t lines = bytes / 64;
  std::vector<uint64_t> ring(lines * 8);
  std::vector<uint64_t> order(lines);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (uint64_t i = 0; i < lines; ++i)
    ring[order[i] * 8] = order[(i + 1) % lines] * 8;
  std::string text = loop("ptr %p", {{"i64", "0", "%at", "%to"}},
                          "  %q = getelementptr i64, ptr %p, i64 %at\n"
                          "  %to = load i64, ptr %q\n");
  auto cycles = [&](uint64_t hops) {
    return double(
        runOk(machine, text, "f", {scalar(hops), array("ring", ring)}).cycles);
  };
  return (cycles(3 * lines) - cycles(2 * lines)) / lines;
}

TEST(CoreTest, ChaseIsTheSumOfLatencies) {
  Machine m = machine({"core.prefetcher.enabled=false"});
  const CachesParams &c = m.caches;
  double address = m.core.addressLatency;
  auto hit = [](const CacheParams &cache) {
    return double(std::max(cache.tagLatency, cache.dataLatency));
  };
  EXPECT_NEAR(chase(m, 32 << 10), address + hit(c.l1d), 0.01);
  double l1Miss = address + c.l1d.tagLatency + c.l1d.dataLatency;
  EXPECT_NEAR(chase(m, 512 << 10), l1Miss + hit(c.l2), 1);
  EXPECT_NEAR(chase(m, 4 << 20),
              l1Miss + c.l2.tagLatency + c.l2.dataLatency + hit(c.llc), 1);
}

TEST(CoreTest, IndependentMissesFollowLittlesLaw) {
  // Loads of 20000 scattered lines: as many in flight as the L1D has MSHRs.
  uint64_t lines = 1 << 18;
  std::vector<uint64_t> memory(lines * 8);
  std::string text = loop("ptr %p", {},
                          "  %a = mul i64 %i, 40503\n"
                          "  %b = and i64 %a, 262143\n"
                          "  %c = shl i64 %b, 3\n"
                          "  %q = getelementptr i64, ptr %p, i64 %c\n"
                          "  %x = load i64, ptr %q\n");
  for (unsigned mshr : {4u, 20u}) {
    Machine m = machine({"core.prefetcher.enabled=false",
                         "caches.l1d.mshr=" + std::to_string(mshr)});
    SessionOutcome outcome =
        runOk(m, text, "f", {scalar(uint64_t(20000)), array("p", memory)});
    double residency =
        *outcome.statistics.getObject("l1d")->getNumber("mean_miss_cycles");
    EXPECT_NEAR(double(outcome.cycles), 20000 * residency / mshr,
                0.05 * double(outcome.cycles));
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// A loop with a branch on bytes of %p, around `work`.
const char *const kBranchy = R"(
define i64 @f(i64 %n, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %s = phi i64 [ 0, %entry ], [ %t, %join ]
  %q = getelementptr i8, ptr %p, i64 %i
  %b = load i8, ptr %q
  %c = icmp ne i8 %b, 0
  br i1 %c, label %then, label %join
then:
  %u = add i64 %s, 1
  br label %join
join:
  %t = phi i64 [ %s, %loop ], [ %u, %then ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i64 %t
}
)";

TEST(CoreTest, SteadyBranchesMispredictOnlyAtTheirEnds) {
  std::vector<uint8_t> ones(1000, 1), zeros(1000, 0);
  // The tables start as "weakly taken": always taken is right from the first,
  // and only the loop's exit is wrong.
  SessionOutcome taken = runOk(machine(), kBranchy, "f",
                               {scalar(uint64_t(1000)), array("p", ones)});
  EXPECT_EQ(taken.returned, 1000u);
  EXPECT_EQ(coreCount(taken, "branches"), 2000u);
  EXPECT_EQ(coreCount(taken, "mispredicts"), 1u);
  SessionOutcome untaken = runOk(machine(), kBranchy, "f",
                                 {scalar(uint64_t(1000)), array("p", zeros)});
  EXPECT_LE(coreCount(untaken, "mispredicts"), 4u);
}

TEST(CoreTest, PeriodicBranchesAreLearnt) {
  std::vector<uint8_t> pattern(20000);
  for (size_t i = 0; i < pattern.size(); ++i)
    pattern[i] = i % 5 < 2;
  auto mispredicts = [&](uint64_t n) {
    return coreCount(
        runOk(machine(), kBranchy, "f", {scalar(n), array("p", pattern)}),
        "mispredicts");
  };
  EXPECT_LE(mispredicts(20000) - mispredicts(10000), 10u);
}

TEST(CoreTest, RandomBranchesMispredictHalfAndPayThePenalty) {
  std::vector<uint8_t> bits(20000);
  std::mt19937 random(7);
  for (uint8_t &bit : bits)
    bit = random() & 1;
  auto outcome = [&](unsigned penalty) {
    return runOk(
        machine({"core.branch.mispredict_penalty=" + std::to_string(penalty)}),
        kBranchy, "f", {scalar(uint64_t(20000)), array("p", bits)});
  };
  SessionOutcome cheap = outcome(11), dear = outcome(31);
  double mispredicts = coreCount(cheap, "mispredicts");
  EXPECT_NEAR(mispredicts, 10000, 800);
  // Nothing else can be done while the right path is awaited.
  EXPECT_NEAR(double(dear.cycles - cheap.cycles), mispredicts * 20,
              mispredicts * 20 * 0.02);
}

} // namespace
