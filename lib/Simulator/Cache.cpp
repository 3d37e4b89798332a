//===- Cache.cpp - A set-associative cache level --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Cache.h"

#include <algorithm>

using namespace ember::sim;

static constexpr uint64_t everyNibble = 0x1111111111111111;

CacheTraffic CacheStatistics::total() const {
  CacheTraffic sum;
  for (const CacheTraffic &traffic : byArgument) {
    sum.hits += traffic.hits;
    sum.misses += traffic.misses;
    sum.merged += traffic.merged;
    sum.prefetches += traffic.prefetches;
    sum.writebacks += traffic.writebacks;
  }
  return sum;
}

Cache::Cache(Engine &engine, std::string name, const CacheParams &params,
             MemoryLevel &below)
    : engine(engine), cacheName(std::move(name)), cacheParams(params),
      below(below), setMask(params.sizeBytes / lineBytes / params.ways - 1),
      numWays(params.ways), ways((setMask + 1) * numWays),
      order(setMask + 1, 0xFEDCBA9876543210), mshrs(params.mshr),
      table(params.mshr) {
  for (unsigned i = params.mshr; i-- > 0;)
    freeList.push_back(i);
}

//===----------------------------------------------------------------------===//
// Sets and ways
//===----------------------------------------------------------------------===//

const Cache::Way *Cache::lookup(uint64_t line) const {
  const Way *set = &ways[(line & setMask) * numWays];
  for (unsigned i = 0; i < numWays; ++i)
    if (set[i].line == line)
      return &set[i];
  return nullptr;
}

Cache::Way *Cache::lookup(uint64_t line) {
  return const_cast<Way *>(static_cast<const Cache *>(this)->lookup(line));
}

// Moves a way to the newest place: nibble 0 of the set's order.
void Cache::touch(uint64_t set, unsigned way) {
  uint64_t word = order[set];
  uint64_t differs = word ^ way * everyNibble;
  uint64_t zero = (differs - everyNibble) & ~differs & everyNibble << 3;
  unsigned shift = __builtin_ctzll(zero) & ~3u;
  uint64_t newer = word & ((uint64_t(1) << shift) - 1);
  uint64_t older = word >> shift >> 4 << 4 << shift;
  order[set] = older | newer << 4 | way;
}

// Takes the least recently used way for `line`; a dirty line in it goes down.
Cache::Way &Cache::allocate(uint64_t line) {
  uint64_t set = line & setMask;
  unsigned victim = order[set] >> 4 * (numWays - 1) & 15;
  Way &way = ways[set * numWays + victim];
  if (way.dirty) {
    ++traffic(way.argument).writebacks;
    LineRequest writeback;
    writeback.line = way.line;
    writeback.argument = way.argument;
    writeback.write = writeback.whole = true;
    below.request(writeback);
  }
  touch(set, victim);
  way.line = line;
  way.dirty = false;
  return way;
}

void Cache::install(uint64_t line, ArgumentId argument) {
  Way *way = lookup(line);
  if (way)
    touch(line & setMask, (way - ways.data()) % numWays);
  else
    way = &allocate(line);
  way->argument = argument;
  way->dirty = true;
}

void Cache::invalidate(uint64_t line) {
  if (Way *way = lookup(line))
    *way = Way();
}

bool Cache::contains(uint64_t line) const { return lookup(line); }

bool Cache::containsDirty(uint64_t line) const {
  const Way *way = lookup(line);
  return way && way->dirty;
}

CacheTraffic &Cache::traffic(ArgumentId argument) {
  if (argument >= stats.byArgument.size())
    stats.byArgument.resize(argument + 1);
  return stats.byArgument[argument];
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// The cycle in which the next look-up can start.
Cycle Cache::portSlot() {
  Cycle now = engine.now();
  if (portCycle < now) {
    portCycle = now;
    portsUsed = 0;
  }
  if (portsUsed == cacheParams.ports) {
    ++portCycle;
    portsUsed = 0;
  }
  ++portsUsed;
  return portCycle;
}

bool Cache::access(const LineRequest &request, Cycle &ready) {
  return serve(request, ready, /*retried=*/false);
}

void Cache::request(const LineRequest &request) {
  Cycle ready;
  if (serve(request, ready, /*retried=*/false) && request.requester)
    engine.send(*request.requester, ready, request.kind, request.tag);
}

bool Cache::serve(const LineRequest &request, Cycle &ready, bool retried) {
  Cycle start = retried ? engine.now() : portSlot();
  Cycle hitLatency = std::max(cacheParams.tagLatency, cacheParams.dataLatency);
  Way *way = lookup(request.line);
  if (observer && !retried)
    observer->looked(request, way);
  if (way) {
    touch(request.line & setMask, (way - ways.data()) % numWays);
    way->dirty |= request.write;
    ++traffic(request.argument).hits;
    ready = start + hitLatency;
    return true;
  }

  int32_t pending = table.find(request.line);
  if (pending >= 0) {
    mshrs[pending].dirty |= request.write;
    ++traffic(request.argument).merged;
    addTarget(mshrs[pending], request);
    return false;
  }
  if (request.write && request.whole) {
    Way &fresh = allocate(request.line);
    fresh.argument = request.argument;
    fresh.dirty = true;
    ++traffic(request.argument).hits;
    ready = start + hitLatency;
    return true;
  }
  if (snoop(request.line, request)) {
    const CacheParams &above = snooped.front()->params();
    ready = start + hitLatency + above.tagLatency + above.dataLatency;
    return true;
  }
  if (freeList.empty()) {
    // Nobody waits for a prefetch: under pressure it is dropped.
    if (!request.requester)
      return false;
    ++stats.parked;
    parked.push_back(request);
    return false;
  }
  miss(request, start);
  return false;
}

// True if a core's cache above holds the line modified, while the request did
// not come from there.
bool Cache::snoop(uint64_t line, const LineRequest &request) {
  for (Cache *cache : snooped) {
    if (request.requester == cache || !cache->containsDirty(line))
      continue;
    ++stats.snoopHits;
    ++traffic(request.argument).hits;
    return true;
  }
  return false;
}

void Cache::miss(const LineRequest &request, Cycle start) {
  unsigned index = freeList.back();
  freeList.pop_back();
  Mshr &mshr = mshrs[index];
  mshr.request = request;
  mshr.since = engine.now();
  mshr.dirty = request.write;
  mshr.firstTarget = mshr.lastTarget = -1;
  table.insert(request.line, index);
  CacheTraffic &counted = traffic(request.argument);
  ++(request.prefetch ? counted.prefetches : counted.misses);
  addTarget(mshr, request);
  engine.send(*this, start + cacheParams.tagLatency, SendDown, index);
}

bool Cache::prefetch(uint64_t line, ArgumentId argument) {
  if (freeList.empty() || lookup(line) || table.find(line) >= 0)
    return false;
  LineRequest request;
  request.line = line;
  request.argument = argument;
  request.prefetch = true;
  miss(request, portSlot());
  return true;
}

void Cache::addTarget(Mshr &mshr, const LineRequest &request) {
  if (!request.requester)
    return;
  int32_t index =
      targets.take({request.requester, request.tag, request.kind, -1});
  if (mshr.lastTarget >= 0)
    targets[mshr.lastTarget].next = index;
  else
    mshr.firstTarget = index;
  mshr.lastTarget = index;
}

void Cache::receive(uint32_t kind, uint64_t index) {
  if (kind == LineFromBelow)
    return fill(index);
  const LineRequest &request = mshrs[index].request;
  LineRequest down;
  down.line = request.line;
  down.requester = this;
  down.kind = LineFromBelow;
  down.tag = index;
  down.pc = request.pc;
  down.argument = request.argument;
  down.prefetch = request.prefetch;
  below.request(down);
}

void Cache::fill(unsigned index) {
  Mshr &mshr = mshrs[index];
  uint64_t line = mshr.request.line;
  stats.mshrCycles += engine.now() - mshr.since;
  // The access unit may have installed the line meanwhile.
  Way *way = lookup(line);
  if (!way) {
    way = &allocate(line);
    way->argument = mshr.request.argument;
  }
  way->dirty |= mshr.dirty;

  Cycle ready = engine.now() + cacheParams.dataLatency;
  for (int32_t i = mshr.firstTarget; i >= 0; i = targets.give(i)) {
    const Target &target = targets[i];
    engine.send(*target.requester, ready, target.kind, target.tag);
  }
  table.erase(line);
  freeList.push_back(index);

  while (!parked.empty() && !freeList.empty()) {
    LineRequest request = parked.front();
    parked.pop_front();
    if (serve(request, ready, /*retried=*/true))
      engine.send(*request.requester, ready, request.kind, request.tag);
  }
}
