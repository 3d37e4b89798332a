//===- Prefetcher.h - Lines fetched before they are asked for ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A stride prefetcher (Chen and Baer, 1995): a table of load instructions with
// the last line each touched and the step between its last two. After the same
// step has been seen three times, lines up to `distance` steps ahead are
// fetched into the L2, `degree` of them for each trigger.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_PREFETCHER_H
#define EMBER_LIB_SIMULATOR_PREFETCHER_H

#include "ember/Simulator/Cache.h"

#include <vector>

namespace ember::sim {

/// Watches the look-ups of a cache and fetches into it.
class StridePrefetcher final : public CacheObserver {
public:
  StridePrefetcher(const PrefetcherParams &params, Cache &target);

  void looked(const LineRequest &request, bool hit) override;

  uint64_t issued() const { return numIssued; }

private:
  struct Entry {
    uint32_t pc = 0;
    int32_t stride = 0; ///< In lines.
    uint64_t last = 0;
    /// Steps of `stride` from `last` up to which lines have been asked for.
    uint16_t ahead = 0;
    uint8_t confidence = 0;
    uint64_t lastUse = 0;
  };

  /// The entry of an instruction, or the least recently used one of its set,
  /// made free for it.
  Entry &find(uint32_t pc, uint64_t line, bool &isNew);

  PrefetcherParams params;
  Cache &target;
  std::vector<Entry> table;
  unsigned numWays;
  uint64_t clock = 0;
  uint64_t numIssued = 0;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_PREFETCHER_H
