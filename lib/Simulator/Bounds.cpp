//===- Bounds.cpp - What no run of this machine can beat ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Bounds.h"

#include <algorithm>

using namespace ember::sim;

llvm::json::Object ember::sim::describeBounds(const Machine &machine,
                                              const Dram &dram,
                                              const Cache &l1d,
                                              const CoreWork &work,
                                              const AccessUnit *unit) {
  std::vector<std::pair<const char *, double>> bounds;
  uint64_t lines = 0;
  for (const DramTraffic &traffic : dram.byArgument())
    lines += traffic.distinct;
  bounds.emplace_back("bandwidth",
                      lines * lineBytes / machine.peakBytesPerCycle());
  bounds.emplace_back("l1d_misses", double(l1d.statistics().mshrCycles) /
                                        machine.caches.l1d.mshr);
  bounds.emplace_back("micro_ops",
                      double(work.all) / machine.core.dispatchWidth);
  // A load and a store pipe may be one and the same, as on the N1.
  unsigned pipes = std::max(machine.core.ports.load, machine.core.ports.store);
  bounds.emplace_back("memory_ops", double(work.memory) / pipes);
  if (unit) {
    const AccessUnitParams &params = *machine.accessUnit;
    const AccessUnitStatistics &stats = unit->statistics();
    bounds.emplace_back("requests",
                        double(stats.slotCycles) / params.outstandingLines);
    bounds.emplace_back("storage", double(stats.storageBound));
    uint64_t busiest = 0;
    for (uint64_t addresses : stats.layerAddresses)
      busiest = std::max(busiest, addresses);
    bounds.emplace_back("addresses",
                        double(busiest) / params.addressesPerCycle);
    bounds.emplace_back("port",
                        double(std::max(stats.requests, stats.linesWritten)) /
                            params.requestsPerCycle);
    bounds.emplace_back("writes",
                        double(stats.bytesPushed + stats.bytesStored) /
                            params.writeBytesPerCycle);
  }
  llvm::json::Object result;
  for (auto [name, cycles] : bounds)
    result[name] = cycles;
  result["binding"] =
      std::max_element(bounds.begin(), bounds.end(), [](auto &a, auto &b) {
        return a.second < b.second;
      })->first;
  return result;
}
