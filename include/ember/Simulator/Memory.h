//===- Memory.h - Requests for lines, and who serves them -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Below the core everything moves in lines of 64 bytes. A request goes down
// the levels until one has the line; the answer is a message to the requester.
// No level refuses a request: what it cannot take yet it keeps in order, and
// the bounded number of requests above (load queue, MSHRs, line slots of the
// access unit) bounds what waits.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_MEMORY_H
#define EMBER_SIMULATOR_MEMORY_H

#include "ember/Simulator/Engine.h"

namespace ember::sim {

inline constexpr unsigned lineBytes = 64;
inline constexpr unsigned lineShift = 6;

/// Which argument of the kernel a line belongs to: an index of
/// AddressMap::ranges(); traffic is counted by it.
using ArgumentId = uint16_t;

struct LineRequest {
  /// Simulated address / 64.
  uint64_t line = 0;
  /// Takes the message `kind`, `tag` when the line has arrived. Null for
  /// prefetches and writebacks, which nobody waits for.
  Receiver *requester = nullptr;
  uint64_t tag = 0;
  uint32_t kind = 0;
  /// The instruction, for prefetchers; 0 if none.
  uint32_t pc = 0;
  ArgumentId argument = 0;
  /// The line is modified.
  bool write = false;
  /// All of the line is written, so it need not be fetched.
  bool whole = false;
  /// Made by a prefetcher: the first to be dropped.
  bool prefetch = false;
};

class MemoryLevel {
public:
  virtual ~MemoryLevel() = default;
  /// Takes a request that reaches this level in the current cycle.
  virtual void request(const LineRequest &request) = 0;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_MEMORY_H
