//===- BranchPredictor.h - Which way branches go ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Conditional branches: TAGE (Seznec and Michaud, 2006), a bimodal table and
// tagged tables over geometrically longer histories; the longest match wins.
// Indirect branches: the target seen last after the same history (ITTAGE's
// idea with one table), else the one seen last at all. Calls and returns are
// not predicted here: they are taken to be always right.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_BRANCHPREDICTOR_H
#define EMBER_LIB_SIMULATOR_BRANCHPREDICTOR_H

#include "ember/Simulator/Machine.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ember::sim {

class BranchPredictor {
public:
  explicit BranchPredictor(const BranchPredictorParams &params);

  /// Predicts the branch of block `pc`, learns that it went `taken`, and
  /// returns whether the prediction was right.
  bool conditional(uint32_t pc, bool taken);

  /// The same for a branch with many targets.
  bool indirect(uint32_t pc, uint32_t target);

private:
  static constexpr unsigned kTables = 4;
  static constexpr unsigned kTagBits = 11;

  struct Tagged {
    uint16_t tag = 0;
    int8_t counter = 0; ///< -4..3, taken if not negative.
    uint8_t useful = 0; ///< 0..3
  };
  struct Target {
    uint32_t tag = 0;
    uint32_t target = ~0u;
  };

  /// The newest bits of history that a table sees, folded to `width` bits.
  uint32_t fold(unsigned table, unsigned width) const {
    uint64_t bits = history & masks[table], folded = 0;
    for (; bits; bits >>= width)
      folded ^= bits;
    return uint32_t(folded) & ((1u << width) - 1);
  }
  uint32_t indexOf(unsigned table, uint32_t pc) const;
  uint16_t tagOf(unsigned table, uint32_t pc) const;

  /// Outcomes of the last branches, the newest in the lowest bit. 64 is the
  /// longest history there is.
  uint64_t history = 0;
  unsigned indexBits;
  std::vector<int8_t> bimodal; ///< -2..1
  std::array<std::vector<Tagged>, kTables> tables;
  std::array<uint64_t, kTables> masks = {}; ///< Of the history.
  uint32_t failedAllocations = 0;

  std::vector<Target> byHistory, byBranch;
  uint64_t pathHistory = 0; ///< With the targets of indirect branches.
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_BRANCHPREDICTOR_H
