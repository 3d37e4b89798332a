//===- Cache.h - A set-associative cache level ------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Write-back, write-allocate, least recently used. Tags and data are read in
// parallel: a hit answers after max(tag, data) cycles; a miss goes down after
// `tag` and its line comes back `data` cycles after it arrived from below.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_CACHE_H
#define EMBER_SIMULATOR_CACHE_H

#include "ember/Simulator/LineTable.h"
#include "ember/Simulator/LinkedPool.h"
#include "ember/Simulator/Machine.h"
#include "ember/Simulator/Memory.h"

#include <deque>

namespace ember::sim {

/// What a cache did for one argument. All counts are in lines.
struct CacheTraffic {
  uint64_t hits = 0;
  uint64_t misses = 0;     ///< allocated an MSHR
  uint64_t merged = 0;     ///< joined a miss under way
  uint64_t prefetches = 0; ///< fetched by a prefetcher
  uint64_t writebacks = 0; ///< dirty lines sent down
};

struct CacheStatistics {
  std::vector<CacheTraffic> byArgument;
  /// Requests that had to wait for an MSHR.
  uint64_t parked = 0;
  /// Line-cycles MSHRs were held: divided by the cycles, the mean in flight;
  /// divided by the misses, the mean residency.
  uint64_t mshrCycles = 0;
  /// Lines a core's cache held dirty when the access unit asked for them.
  uint64_t snoopHits = 0;
  CacheTraffic total() const;
};

/// Told of every request a cache looks up, for prefetchers.
class CacheObserver {
public:
  virtual ~CacheObserver() = default;
  virtual void looked(const LineRequest &request, bool hit) = 0;
};

class Cache final : public MemoryLevel, public Receiver {
public:
  Cache(Engine &engine, std::string name, const CacheParams &params,
        MemoryLevel &below);

  /// Looks the line up. True on a hit: the data is there in cycle `ready` and
  /// no message is sent. False on a miss: the requester's message follows.
  bool access(const LineRequest &request, Cycle &ready);

  /// As access, but a hit answers by a message too.
  void request(const LineRequest &request) override;

  /// Fetches a line nobody asked for. False, and nothing done, if it is here
  /// already or no MSHR is free.
  bool prefetch(uint64_t line, ArgumentId argument);

  /// Puts a line here as the access unit writes it (dirty, without a fetch).
  void install(uint64_t line, ArgumentId argument);
  /// Drops a line, without a writeback.
  void invalidate(uint64_t line);
  bool contains(uint64_t line) const;
  bool containsDirty(uint64_t line) const;

  /// A private cache above that may hold newer lines, asked when this one
  /// misses on a request that did not come through it.
  void addSnooped(Cache &cache) { snooped.push_back(&cache); }

  void setObserver(CacheObserver *o) { observer = o; }
  unsigned freeMshrs() const { return freeList.size(); }
  const std::string &name() const { return cacheName; }
  const CacheParams &params() const { return cacheParams; }
  const CacheStatistics &statistics() const { return stats; }

  void receive(uint32_t kind, uint64_t payload) override;

private:
  enum Kind : uint32_t { LineFromBelow, SendDown };

  struct Way {
    uint64_t line = ~uint64_t(0);
    ArgumentId argument = 0;
    bool dirty = false;
  };
  struct Target {
    Receiver *requester;
    uint64_t tag;
    uint32_t kind;
    int32_t next;
  };
  struct Mshr {
    LineRequest request;
    Cycle since = 0;
    int32_t firstTarget = -1;
    int32_t lastTarget = -1;
    bool dirty = false;
  };

  Way *lookup(uint64_t line);
  const Way *lookup(uint64_t line) const;
  void touch(uint64_t set, unsigned way);
  Way &allocate(uint64_t line);
  Cycle portSlot();
  bool serve(const LineRequest &request, Cycle &ready, bool retried);
  void miss(const LineRequest &request, Cycle start);
  void addTarget(Mshr &mshr, const LineRequest &request);
  void fill(unsigned index);
  bool snoop(uint64_t line, const LineRequest &request);
  CacheTraffic &traffic(ArgumentId argument);

  Engine &engine;
  std::string cacheName;
  CacheParams cacheParams;
  MemoryLevel &below;
  std::vector<Cache *> snooped;
  CacheObserver *observer = nullptr;

  uint64_t setMask;
  unsigned numWays;
  std::vector<Way> ways;       ///< numWays a set
  std::vector<uint64_t> order; ///< a set's ways, 4 bits each, newest lowest

  std::vector<Mshr> mshrs;
  std::vector<uint32_t> freeList;
  LinkedPool<Target> targets;
  LineTable table; ///< line to MSHR
  std::deque<LineRequest> parked;

  Cycle portCycle = 0;
  unsigned portsUsed = 0;
  CacheStatistics stats;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_CACHE_H
