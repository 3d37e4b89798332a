//===- MachineFields.h - All parameters of a machine, listed once -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Reading and writing a machine walk this one list. A visitor offers
//
//   number(key, value, limits)    flag(key, value)    text(key, value)
//   list(key, values)             section(key, part)
//   optionalSection(key, part)    may be null
//   standard(key, name, timings)  the name of a DRAM standard
//   defaultedSection(key, part)   changes what the standard says
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_MACHINEFIELDS_H
#define EMBER_LIB_SIMULATOR_MACHINEFIELDS_H

#include "ember/Simulator/Machine.h"

namespace ember::sim {

/// What a number may be. The bounds keep a model buildable and its arithmetic
/// far from overflow; they do not say what is sensible.
struct Limits {
  uint64_t min;
  uint64_t max;
  const char *unit;
  bool powerOfTwo = false;
};

template <typename Visitor>
void visitFields(Visitor &v, CorePorts &p) {
  v.number("alu", p.alu, {1, 16, "pipes"});
  v.number("multiply", p.multiply, {1, 16, "pipes"});
  v.number("branch", p.branch, {1, 16, "pipes"});
  v.number("load", p.load, {1, 16, "pipes"});
  v.number("store", p.store, {1, 16, "pipes"});
  v.number("vector", p.vector, {1, 16, "pipes"});
}

template <typename Visitor>
void visitFields(Visitor &v, BranchPredictorParams &p) {
  v.number("mispredict_penalty", p.mispredictPenalty, {1, 100, "cycles"});
  v.number("history_bits", p.historyBits, {1, 64, "bits"});
  v.number("table_entries", p.tableEntries, {16, 1 << 20, "entries", true});
}

template <typename Visitor>
void visitFields(Visitor &v, PrefetcherParams &p) {
  v.flag("enabled", p.enabled);
  v.number("table_entries", p.tableEntries, {1, 4096, "entries", true});
  v.number("distance", p.distance, {1, 64, "strides"});
  v.number("degree", p.degree, {1, 16, "lines"});
}

template <typename Visitor>
void visitFields(Visitor &v, CoreParams &p) {
  v.number("dispatch_width", p.dispatchWidth, {1, 16, "uops a cycle"});
  v.number("retire_width", p.retireWidth, {1, 16, "uops a cycle"});
  v.number("rob", p.rob, {4, 1024, "uops"});
  v.number("issue_queue", p.issueQueue, {1, 1024, "uops"});
  v.number("load_queue", p.loadQueue, {1, 512, "loads"});
  v.number("store_queue", p.storeQueue, {1, 512, "stores"});
  v.section("ports", p.ports);
  v.number("address_latency", p.addressLatency, {0, 16, "cycles"});
  v.number("vector_bits", p.vectorBits, {64, 4096, "bits", true});
  v.number("vector_registers", p.vectorRegisters, {8, 256, "registers"});
  v.section("branch", p.branch);
  v.section("prefetcher", p.prefetcher);
  v.text("triple", p.triple);
  v.text("cpu", p.cpu);
  v.text("features", p.features);
}

template <typename Visitor>
void visitFields(Visitor &v, CacheParams &p) {
  v.number("size_bytes", p.sizeBytes, {256, uint64_t(1) << 32, "bytes"});
  v.number("ways", p.ways, {1, 16, "ways"});
  v.number("tag_latency", p.tagLatency, {1, 1000, "cycles"});
  v.number("data_latency", p.dataLatency, {1, 1000, "cycles"});
  v.number("mshr", p.mshr, {1, 4096, "lines"});
  v.number("ports", p.ports, {1, 64, "look-ups a cycle"});
}

template <typename Visitor>
void visitFields(Visitor &v, CachesParams &p) {
  v.section("l1d", p.l1d);
  v.section("l2", p.l2);
  v.section("llc", p.llc);
}

template <typename Visitor>
void visitFields(Visitor &v, QueuesParams &p) {
  Limits ring = {64, 1 << 24, "bytes", true};
  v.number("data_bytes", p.dataBytes, ring);
  v.number("scalar_bytes", p.scalarBytes, ring);
  v.number("token_bytes", p.tokenBytes, ring);
  v.number("visible_latency", p.visibleLatency, {1, 1000, "cycles"});
}

template <typename Visitor>
void visitFields(Visitor &v, AccessUnitParams &p) {
  v.number("lanes", p.lanes, {1, 64, "lanes"});
  v.number("layers", p.layers, {1, 16, "layers"});
  v.number("storage_bytes_per_lane", p.storageBytesPerLane,
           {64, 1 << 20, "bytes"});
  v.number("outstanding_lines", p.outstandingLines, {1, 4096, "lines"});
  v.number("addresses_per_cycle", p.addressesPerCycle,
           {1, 64, "addresses a layer a cycle"});
  v.number("requests_per_cycle", p.requestsPerCycle, {1, 64, "lines a cycle"});
  v.number("write_bytes_per_cycle", p.writeBytesPerCycle,
           {8, 4096, "bytes a cycle"});
  v.number("cycles_per_register_write", p.cyclesPerRegisterWrite,
           {1, 1000, "cycles"});
  v.flag("sibling_loops", p.siblingLoops);
  v.flag("predicate", p.predicate);
  v.flag("store", p.store);
  v.flag("bounds_fault", p.boundsFault);
}

/// The timings a file may change; all else of a standard is fixed.
template <typename Visitor>
void visitFields(Visitor &v, DramStandard &p) {
  auto clocks = [&](const char *key, unsigned &value, uint64_t min = 1) {
    v.number(key, value, {min, 100000, "memory clocks"});
  };
  v.number("tck_ps", p.tCKps, {100, 10000, "picoseconds"});
  clocks("cl", p.nCL);
  clocks("cwl", p.nCWL);
  clocks("rcd_read", p.nRCDRD);
  clocks("rcd_write", p.nRCDWR);
  clocks("rp", p.nRP);
  clocks("ras", p.nRAS);
  clocks("rc", p.nRC);
  clocks("ccd_s", p.nCCDS, p.nBL);
  clocks("ccd_l", p.nCCDL, p.nBL);
  clocks("rrd_s", p.nRRDS);
  clocks("rrd_l", p.nRRDL);
  clocks("faw", p.nFAW);
  clocks("wtr_s", p.nWTRS);
  clocks("wtr_l", p.nWTRL);
  clocks("rtp", p.nRTP);
  clocks("wr", p.nWR);
  clocks("rfc", p.nRFC);
  clocks("refi", p.nREFI);
}

template <typename Visitor>
void visitFields(Visitor &v, MemoryParams &p) {
  v.standard("standard", p.standard, p.timings);
  v.defaultedSection("timings", p.timings);
  v.number("channels", p.channels, {1, 128, "channels", true});
  v.list("mapping", p.mapping);
  v.flag("hash", p.hash);
  v.number("read_queue", p.readQueue, {1, 1024, "requests"});
  v.number("write_queue", p.writeQueue, {1, 1024, "requests"});
  v.number("drain_high", p.drainHigh, {1, 1024, "requests"});
  v.number("drain_low", p.drainLow, {0, 1023, "requests"});
  v.number("frontend_ns", p.frontendNs, {0, 10000, "nanoseconds"});
  v.number("backend_ns", p.backendNs, {0, 10000, "nanoseconds"});
  v.flag("refresh", p.refresh);
}

template <typename Visitor>
void visitFields(Visitor &v, Machine &m) {
  v.text("name", m.name);
  v.text("description", m.description);
  v.number("clock_mhz", m.clockMHz, {100, 10000, "MHz"});
  v.number("cores", m.cores, {1, 64, "cores"});
  v.section("core", m.core);
  v.section("caches", m.caches);
  v.section("queues", m.queues);
  v.optionalSection("access_unit", m.accessUnit);
  v.section("memory", m.memory);
}

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_MACHINEFIELDS_H
