//===- Bounds.cpp - What no run of this machine can beat ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Bounds.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace ember::sim;

using Bounds = std::vector<std::pair<const char *, double>>;

/// The bounds that the parts of one core set.
static void addBounds(Bounds &bounds, const Machine &machine,
                      const CoreWork &work) {
  bounds.emplace_back("l1d_misses", double(work.l1d.statistics().mshrCycles) /
                                        machine.caches.l1d.mshr);
  bounds.emplace_back("micro_ops",
                      double(work.all) / machine.core.dispatchWidth);
  // A load and a store pipe may be one and the same, as on the N1.
  unsigned pipes = std::max(machine.core.ports.load, machine.core.ports.store);
  bounds.emplace_back("memory_ops", double(work.memory) / pipes);
  if (!work.unit)
    return;
  const AccessUnitParams &params = *machine.accessUnit;
  const AccessUnitStatistics &stats = work.unit->statistics();
  bounds.emplace_back("requests",
                      double(stats.slotCycles) / params.outstandingLines);
  bounds.emplace_back("storage", double(stats.storageBound));
  uint64_t busiest = 0;
  for (uint64_t addresses : stats.layerAddresses)
    busiest = std::max(busiest, addresses);
  bounds.emplace_back("addresses", double(busiest) / params.addressesPerCycle);
  bounds.emplace_back("port",
                      double(std::max(stats.requests, stats.linesWritten)) /
                          params.requestsPerCycle);
  bounds.emplace_back("writes", double(stats.bytesPushed + stats.bytesStored) /
                                    params.writeBytesPerCycle);
}

llvm::json::Object ember::sim::describeBounds(const Machine &machine,
                                              const Dram &dram,
                                              const Cache &llc,
                                              llvm::ArrayRef<CoreWork> cores) {
  uint64_t lines = 0;
  for (const DramTraffic &traffic : dram.byArgument())
    lines += traffic.distinct;
  Bounds bounds;
  bounds.emplace_back("bandwidth",
                      lines * lineBytes / machine.peakBytesPerCycle());
  bounds.emplace_back("llc_misses", double(llc.statistics().mshrCycles) /
                                        machine.caches.llc.mshr);
  for (const CoreWork &work : cores)
    addBounds(bounds, machine, work);
  auto less = [](auto &a, auto &b) { return a.second < b.second; };
  llvm::json::Object result;
  result["binding"] =
      std::max_element(bounds.begin(), bounds.end(), less)->first;
  llvm::stable_sort(bounds, less); // so that the largest of a name comes last
  for (auto [name, cycles] : bounds)
    result[name] = cycles;
  return result;
}
