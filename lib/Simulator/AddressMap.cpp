//===- AddressMap.cpp - Host memory as simulated addresses ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/AddressMap.h"

#include <algorithm>

using namespace ember::sim;

namespace {

constexpr uint64_t kPage = 4096;

bool startsAfter(uint64_t host, const AddressRange &range) {
  return host < range.host;
}

} // namespace

uint64_t AddressMap::add(std::string name, const void *host, uint64_t bytes,
                         bool writable) {
  uint64_t low = reinterpret_cast<uint64_t>(host);
  uint64_t high = low + bytes;
  uint64_t simulated = next;
  bool joins = false;
  if (bytes) {
    // Joined ranges keep the name of the one registered first, which is the
    // one with the lowest simulated address.
    uint64_t oldest = ~uint64_t(0);
    for (auto it = sorted.begin(); it != sorted.end();) {
      if (it->bytes == 0 || it->host >= high || it->host + it->bytes <= low) {
        ++it;
        continue;
      }
      if (it->host <= low && it->host + it->bytes >= high) {
        it->writable |= writable;
        return it->simulated + (low - it->host);
      }
      joins = true;
      if (it->simulated < oldest) {
        oldest = it->simulated;
        name = it->name;
      }
      low = std::min(low, it->host);
      high = std::max(high, it->host + it->bytes);
      writable |= it->writable;
      it = sorted.erase(it);
    }
  }
  // The offset within a cache line is kept, so that an array that is not
  // aligned on the host costs the same split accesses on every run.
  simulated += low % 64;
  AddressRange range{std::move(name), low, high - low, simulated, writable};
  sorted.insert(
      std::upper_bound(sorted.begin(), sorted.end(), low, startsAfter), range);
  // One unused page between ranges: a stride past one never meets the next.
  next = (simulated + range.bytes + 2 * kPage - 1) / kPage * kPage;
  return joins ? simulated + (reinterpret_cast<uint64_t>(host) - low)
               : simulated;
}

void AddressMap::remove(const void *host) {
  uint64_t address = reinterpret_cast<uint64_t>(host);
  auto it = std::find_if(sorted.begin(), sorted.end(), [&](const auto &range) {
    return range.host == address;
  });
  if (it != sorted.end())
    sorted.erase(it);
}

const AddressRange *AddressMap::find(uint64_t host) const {
  auto it = std::upper_bound(sorted.begin(), sorted.end(), host, startsAfter);
  while (it != sorted.begin()) {
    --it;
    if (host - it->host < it->bytes)
      return &*it;
    if (it->bytes) // an empty range at the same address hides nothing
      return nullptr;
  }
  return nullptr;
}

const AddressRange *AddressMap::nearest(uint64_t host) const {
  const AddressRange *best = nullptr;
  uint64_t bestDistance = ~uint64_t(0);
  for (const AddressRange &range : sorted) {
    uint64_t end = range.host + range.bytes;
    uint64_t distance = host < range.host ? range.host - host
                        : host >= end     ? host - end
                                          : 0;
    if (distance < bestDistance) {
      best = &range;
      bestDistance = distance;
    }
  }
  return best;
}

std::optional<uint64_t> AddressMap::translate(const void *host,
                                              uint64_t bytes) const {
  uint64_t address = reinterpret_cast<uint64_t>(host);
  const AddressRange *range = find(address);
  if (!range || bytes > range->bytes - (address - range->host))
    return std::nullopt;
  return range->simulated + (address - range->host);
}

const AddressRange *AddressMap::findSimulated(uint64_t simulated) const {
  for (const AddressRange &range : sorted)
    if (simulated - range.simulated < range.bytes)
      return &range;
  return nullptr;
}
