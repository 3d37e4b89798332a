//===- BranchPredictor.cpp - Which way branches go ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "BranchPredictor.h"

#include <algorithm>
#include <cmath>

using namespace ember::sim;

static constexpr unsigned kShortestHistory = 5;

static unsigned log2Floor(unsigned value) {
  unsigned bits = 0;
  while (value >>= 1)
    ++bits;
  return bits;
}

BranchPredictor::BranchPredictor(const BranchPredictorParams &params)
    : indexBits(log2Floor(std::max(params.tableEntries, 2u))) {
  unsigned entries = 1u << indexBits;
  bimodal.assign(entries, 0);
  byHistory.resize(entries);
  byBranch.resize(entries);
  // Lengths between the shortest and the configured one, in equal ratios.
  double longest = std::clamp(params.historyBits, kShortestHistory, 64u);
  for (unsigned table = 0; table < kTables; ++table) {
    double ratio =
        std::pow(longest / kShortestHistory, double(table) / (kTables - 1));
    unsigned length = unsigned(kShortestHistory * ratio + 0.5);
    masks[table] = ~uint64_t(0) >> (64 - length);
    tables[table].resize(entries);
  }
}

uint32_t BranchPredictor::indexOf(unsigned table, uint32_t pc) const {
  uint32_t hash = pc ^ (pc >> (table + 1)) ^ fold(table, indexBits);
  return hash & ((1u << indexBits) - 1);
}

uint16_t BranchPredictor::tagOf(unsigned table, uint32_t pc) const {
  uint32_t hash =
      pc * 0x9e37u ^ fold(table, kTagBits) ^ (fold(table, kTagBits - 1) << 1);
  // 0 is left for entries never used.
  return (hash & ((1u << kTagBits) - 1)) | (1u << kTagBits);
}

bool BranchPredictor::conditional(uint32_t pc, bool taken) {
  std::array<uint32_t, kTables> index;
  std::array<uint16_t, kTables> tag;
  int provider = -1, alternate = -1;
  for (int table = kTables - 1; table >= 0; --table) {
    index[table] = indexOf(table, pc);
    tag[table] = tagOf(table, pc);
    if (tables[table][index[table]].tag != tag[table])
      continue;
    if (provider < 0)
      provider = table;
    else if (alternate < 0)
      alternate = table;
  }

  int8_t &base = bimodal[pc & ((1u << indexBits) - 1)];
  auto saysTaken = [&](int table) {
    return table < 0 ? base >= 0 : tables[table][index[table]].counter >= 0;
  };
  bool second = saysTaken(alternate);
  bool predicted = saysTaken(provider);
  if (provider >= 0) {
    // An entry that has not proved itself yet is not trusted.
    const Tagged &entry = tables[provider][index[provider]];
    if (entry.useful == 0 && (entry.counter == 0 || entry.counter == -1))
      predicted = second;
  }
  bool right = predicted == taken;

  auto train = [&](auto &counter, int low, int high) {
    counter = std::clamp(counter + (taken ? 1 : -1), low, high);
  };
  if (provider >= 0) {
    Tagged &entry = tables[provider][index[provider]];
    bool own = entry.counter >= 0;
    if (own != second)
      entry.useful = own == taken ? std::min(entry.useful + 1, 3)
                                  : std::max(entry.useful - 1, 0);
    if (entry.useful == 0)
      if (alternate >= 0)
        train(tables[alternate][index[alternate]].counter, -4, 3);
    train(entry.counter, -4, 3);
  }
  if (provider < 0 || alternate < 0)
    train(base, -2, 1);

  if (!right) {
    bool allocated = false;
    for (unsigned table = provider + 1; table < kTables && !allocated;
         ++table) {
      Tagged &entry = tables[table][index[table]];
      if (entry.useful)
        continue;
      entry = {tag[table], int8_t(taken ? 0 : -1), 0};
      allocated = true;
    }
    // When all are in use for long, their claims are weakened.
    if (!allocated && provider + 1 < int(kTables))
      if (++failedAllocations % 8 == 0)
        for (unsigned table = provider + 1; table < kTables; ++table) {
          uint8_t &useful = tables[table][index[table]].useful;
          useful -= useful > 0;
        }
  }
  history = (history << 1) | taken;
  pathHistory = (pathHistory << 1) | taken;
  return right;
}

bool BranchPredictor::indirect(uint32_t pc, uint32_t target) {
  uint64_t hash =
      (pathHistory ^ (uint64_t(pc) << 32 | pc)) * 0x9e3779b97f4a7c15ull;
  Target &recent = byHistory[hash >> (64 - indexBits)];
  Target &last = byBranch[pc & ((1u << indexBits) - 1)];
  uint32_t tag = uint32_t(hash) | 1;
  bool right = (recent.tag == tag ? recent.target : last.target) == target;
  recent = {tag, target};
  last = {pc, target};
  // Three bits tell the targets of one branch apart in the history.
  history = (history << 3) | (target & 7);
  pathHistory = (pathHistory << 3) ^ target;
  return right;
}
