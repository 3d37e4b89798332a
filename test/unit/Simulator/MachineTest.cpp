//===- MachineTest.cpp - Machine files, good and hostile ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MemoryTestAgents.h"

#include "llvm/Support/FormatVariadic.h"

#include <functional>

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

std::string errorOf(std::vector<std::string> overrides,
                    llvm::StringRef name = "dae-hbm2") {
  llvm::Expected<Machine> m = Machine::load(name, overrides);
  return m ? "" : llvm::toString(m.takeError());
}

TEST(Machine, AllShippedMachinesLoad) {
  std::vector<std::string> names = Machine::shipped();
  for (const char *name :
       {"dae-hbm2", "core-hbm2", "tmu-strict", "dae-ddr4", "core-ddr4"})
    EXPECT_TRUE(std::count(names.begin(), names.end(), name)) << name;
  for (const std::string &name : names) {
    Machine m = machine(name);
    EXPECT_EQ(m.name, name);
    EXPECT_EQ(m.accessUnit.has_value(), name.rfind("core-", 0) != 0) << name;
  }
}

TEST(Machine, PeakBandwidthIsThatOfTheStandard) {
  EXPECT_NEAR(machine("dae-hbm2").peakBytesPerCycle() * 2.4, 256, 0.01);
  EXPECT_NEAR(machine("dae-ddr4").peakBytesPerCycle() * 2.4, 8 * 25.6, 0.01);
  EXPECT_NEAR(findDramStandard("DDR5-4800")->peakBytesPerSecond() / 1e9, 19.2,
              0.05);
  EXPECT_NEAR(findDramStandard("HBM3-6400")->peakBytesPerSecond() * 32 / 1e9,
              819, 1);
}

TEST(Machine, EveryValueHasASource) {
  for (const std::string &name : Machine::shipped()) {
    Machine m = machine(name);
    std::function<void(const llvm::json::Object &, std::string)> check =
        [&](const llvm::json::Object &object, std::string path) {
          for (const auto &[key, value] : object) {
            std::string inner =
                path.empty() ? key.str() : path + "." + key.str();
            if (inner == "sources" || inner == "name" ||
                inner == "description" || inner == "memory.timings" ||
                value.kind() == llvm::json::Value::Null)
              continue;
            if (const llvm::json::Object *part = value.getAsObject()) {
              check(*part, inner);
              continue;
            }
            EXPECT_TRUE(llvm::any_of(
                m.sources, [&](const auto &s) { return s.first == inner; }))
                << name << ": " << inner;
          }
        };
    llvm::json::Value json = m.toJSON();
    check(*json.getAsObject(), "");
  }
}

TEST(Machine, WritesWhatItReads) {
  for (const std::string &name : Machine::shipped()) {
    Machine m = machine(name);
    std::string text = llvm::formatv("{0:2}", m.toJSON());
    llvm::Expected<Machine> again = Machine::parse(text, "again");
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(again->toJSON(), m.toJSON());
  }
}

TEST(Machine, OverridesChangeOneValue) {
  Machine m = machine("dae-hbm2", {"caches.l2.mshr=64", "memory.channels=8",
                                   "memory.timings.faw=20"});
  EXPECT_EQ(m.caches.l2.mshr, 64u);
  EXPECT_EQ(m.memory.channels, 8u);
  EXPECT_EQ(m.memory.timings.nFAW, 20u);
  EXPECT_EQ(m.memory.timings.nRP, 14u);
}

TEST(Machine, ErrorsNameKeyValueAndWhatIsAllowed) {
  EXPECT_EQ(errorOf({"caches.l2.mshr=0"}),
            "dae-hbm2: caches.l2.mshr: 0 is not allowed; expected a whole "
            "number from 1 to 4096 (lines)");
  EXPECT_EQ(errorOf({"caches.l2.mshrs=4"}),
            "dae-hbm2: caches.l2.mshrs: unknown key; 'caches.l2' may hold "
            "size_bytes, ways, tag_latency, data_latency, mshr, ports");
  EXPECT_EQ(errorOf({"memory.standard=HBM9"}),
            "dae-hbm2: memory.standard: \"HBM9\" is not allowed; expected one "
            "of DDR4-3200, DDR5-4800, HBM2-2000, HBM2-2400, HBM3-6400");
  EXPECT_EQ(errorOf({"access_unit.lanes=4"}, "core-hbm2"),
            "--set access_unit.lanes=4: this machine has no 'access_unit'");
  EXPECT_EQ(errorOf({}, "dae-hbm9"),
            "unknown machine 'dae-hbm9'; expected one of core-ddr4, core-hbm2, "
            "dae-ddr4, dae-hbm2, tmu-strict, or a path to a .json file");
}

TEST(Machine, RefusesCoresThatLLVMDoesNotKnow) {
  EXPECT_EQ(errorOf({"core.cpu=znver44"}),
            "dae-hbm2: core.cpu: 'znver44' is not allowed; expected a CPU that "
            "LLVM knows for x86-64, such as 'znver4' (llc -march=x86-64 "
            "-mcpu=help lists them)");
  EXPECT_EQ(errorOf({"core.features=+fma,+sse9"}),
            "dae-hbm2: core.features: 'sse9' is not allowed; expected a "
            "feature that LLVM knows for x86-64, such as 'sse' (llc "
            "-march=x86-64 -mattr=help lists them)");
  EXPECT_EQ(errorOf({"core.features=fma"}),
            "dae-hbm2: core.features: 'fma' is not allowed; expected +name or "
            "-name, separated by commas");
  EXPECT_EQ(errorOf({"core.cpu=i386"}),
            "dae-hbm2: core.cpu: 'i386' is not allowed; expected a 64-bit CPU");
  EXPECT_EQ(errorOf({"core.features=-64bit"}),
            "dae-hbm2: core.features: '-64bit' is not allowed; expected a "
            "64-bit CPU");
  for (const char *triple : {"", "pdp11", "i686-linux-gnu", "powerpc64-linux"})
    EXPECT_NE(errorOf({std::string("core.triple=") + triple}), "") << triple;
  EXPECT_EQ(
      errorOf({"core.triple=riscv64", "core.cpu=", "core.features=+d,+zdinx"}),
      "dae-hbm2: core.features: '+d,+zdinx' is not allowed: 'f' and "
      "'zfinx' extensions are incompatible");
  // LLVM takes these for questions.
  for (const char *override :
       {"core.cpu=help", "core.features=+help", "core.features=+cpuhelp",
        "core.features=,", "core.features=+soft-float"})
    EXPECT_NE(errorOf({override}), "") << override;
  EXPECT_EQ(errorOf({"core.cpu=", "core.features="}), "");
  EXPECT_EQ(errorOf({"core.triple=aarch64-linux-gnu", "core.cpu=neoverse-n1",
                     "core.features=+sve"}),
            "");
}

TEST(Machine, RefusesHostileValues) {
  for (const char *override : {"clock_mhz=-1",
                               "clock_mhz=1e30",
                               "clock_mhz=2400.5",
                               "cores=\"two\"",
                               "cores=null",
                               "cores=18446744073709551615",
                               "cores=18446744073709551616",
                               "queues.data_bytes=3000",
                               "queues.data_bytes=9223372036854775808",
                               "caches.l1d.ways=3",
                               "caches.l1d.ways=17",
                               "caches.l1d=7",
                               "caches.l1d.size_bytes=65537",
                               "memory.channels=12",
                               "memory.mapping=[]",
                               "memory.mapping=[1,2]",
                               "memory.mapping=[\"ch:99999999999\"]",
                               "memory.drain_high=1000",
                               "memory.drain_low=900",
                               "memory.timings.refi=300",
                               "memory.timings.ccd_s=1",
                               "memory.timings.bl=4",
                               "memory.timings=[]",
                               "memory.refresh=1",
                               "sources=3",
                               "sources={\"core.robe\":\"x\"}",
                               "surprise=1",
                               "access_unit.store=\"yes\"",
                               "core.ports.load=0",
                               "=1",
                               "cores",
                               "name.first=1"})
    EXPECT_NE(errorOf({override}), "") << override;
}

TEST(Machine, RefusesFilesThatAreNotMachines) {
  for (const char *text :
       {"", "[]", "3", "{", "{}", "{\"extends\": \"nobody\"}",
        "{\"extends\": 3}", "{\"extends\": \"dae-hbm2\", \"memory\": 1}",
        "{\"extends\": \"dae-hbm2\", \"core\": null}"}) {
    llvm::Expected<Machine> m = Machine::parse(text, "bad.json");
    ASSERT_FALSE(bool(m)) << text;
    EXPECT_EQ(llvm::toString(m.takeError()).rfind("bad.json: ", 0), 0u) << text;
  }
  llvm::Expected<Machine> gone = Machine::load("/no/such/machine.json");
  ASSERT_FALSE(bool(gone));
  llvm::consumeError(gone.takeError());
}

} // namespace
