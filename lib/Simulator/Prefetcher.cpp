//===- Prefetcher.cpp - Lines fetched before they are asked for -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Prefetcher.h"

#include <algorithm>

using namespace ember::sim;

namespace {

constexpr uint8_t kTrained = 2;
/// As gem5's stride prefetcher: four entries a set.
constexpr unsigned kWays = 4;
/// Prefetchers work on physical addresses and stop at page boundaries.
constexpr uint64_t kLinesPerPage = 4096 / lineBytes;

} // namespace

StridePrefetcher::StridePrefetcher(const PrefetcherParams &params,
                                   Cache &target)
    : params(params), target(target), table(std::max(params.tableEntries, 1u)),
      numWays(std::min<unsigned>(kWays, table.size())) {}

StridePrefetcher::Entry &StridePrefetcher::find(uint32_t pc, uint64_t line,
                                                bool &isNew) {
  size_t set = pc & (table.size() / numWays - 1);
  Entry *first = &table[set * numWays], *last = first + numWays;
  Entry *entry =
      std::find_if(first, last, [&](const Entry &e) { return e.pc == pc; });
  isNew = entry == last;
  if (isNew) {
    entry = std::min_element(first, last, [](const Entry &a, const Entry &b) {
      return a.lastUse < b.lastUse;
    });
    *entry = Entry();
    entry->pc = pc;
    entry->last = line;
  }
  entry->lastUse = ++clock;
  return *entry;
}

void StridePrefetcher::looked(const LineRequest &request, bool hit) {
  if (request.pc == 0 || request.prefetch)
    return;
  bool isNew;
  Entry &entry = find(request.pc, request.line, isNew);
  if (isNew)
    return;
  int64_t step = int64_t(request.line - entry.last);
  if (step == 0)
    return; // more of the same line says nothing about the stride
  entry.last = request.line;
  if (step != entry.stride) {
    entry.stride = step == int32_t(step) ? int32_t(step) : 0;
    entry.confidence = 0;
    entry.ahead = 0;
    return;
  }
  entry.ahead -= entry.ahead > 0;
  if (entry.confidence < kTrained && ++entry.confidence < kTrained)
    return;
  for (unsigned sent = 0; sent < params.degree && entry.ahead < params.distance;
       ++sent) {
    uint64_t line =
        request.line + int64_t(entry.stride) * (int64_t(entry.ahead) + 1);
    if (line / kLinesPerPage != request.line / kLinesPerPage)
      return;
    if (target.prefetch(line, request.argument))
      ++numIssued;
    ++entry.ahead;
  }
}
