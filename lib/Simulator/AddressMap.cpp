//===- AddressMap.cpp - Host memory to simulated addresses ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/AddressMap.h"

#include <algorithm>

using namespace ember::sim;

static constexpr uint64_t pageBytes = 4096;

AddressMap::AddressMap() : nextSimulated(pageBytes) {
  allRanges.push_back({"other", 0, 0, 0});
}

ArgumentId AddressMap::add(std::string name, const void *host, uint64_t size) {
  auto id = static_cast<ArgumentId>(allRanges.size());
  auto address = reinterpret_cast<uint64_t>(host);
  allRanges.push_back({std::move(name), address, size, nextSimulated});
  // An unused page between ranges keeps a prefetcher's overrun apart.
  nextSimulated += (size + pageBytes - 1) / pageBytes * pageBytes + pageBytes;
  if (size == 0)
    return id;
  auto place = std::lower_bound(
      byHost.begin(), byHost.end(), address,
      [&](ArgumentId r, uint64_t a) { return allRanges[r].host < a; });
  byHost.insert(place, id);
  return id;
}

void AddressMap::remove(ArgumentId range) {
  byHost.erase(std::remove(byHost.begin(), byHost.end(), range), byHost.end());
  allRanges[range].size = 0;
  lastFound = 0;
}

std::optional<AddressMap::Place> AddressMap::search(uint64_t host,
                                                    uint64_t size) const {
  auto after = std::upper_bound(
      byHost.begin(), byHost.end(), host,
      [&](uint64_t a, ArgumentId r) { return a < allRanges[r].host; });
  if (after == byHost.begin())
    return std::nullopt;
  ArgumentId id = *std::prev(after);
  const Range &range = allRanges[id];
  uint64_t offset = host - range.host;
  if (offset >= range.size || size > range.size - offset)
    return std::nullopt;
  lastFound = id;
  return Place{range.simulated + offset, id};
}
