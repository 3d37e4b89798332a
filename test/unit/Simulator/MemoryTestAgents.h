//===- MemoryTestAgents.h - Hand-built memory traffic -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TEST_UNIT_SIMULATOR_MEMORYTESTAGENTS_H
#define EMBER_TEST_UNIT_SIMULATOR_MEMORYTESTAGENTS_H

#include "ember/Simulator/Cache.h"
#include "ember/Simulator/Dram.h"

#include "gtest/gtest.h"

namespace ember::sim::test {

/// The machine, or a failed test.
inline Machine machine(llvm::StringRef name,
                       std::vector<std::string> overrides = {}) {
  llvm::Expected<Machine> loaded = Machine::load(name, overrides);
  if (!loaded) {
    ADD_FAILURE() << llvm::toString(loaded.takeError());
    abort();
  }
  return *loaded;
}

/// Asks for `lines` in order from cycle `start` on, at most `inFlight` at a
/// time.
class Stream final : public Agent, public Receiver {
public:
  Stream(Engine &engine, MemoryLevel &memory, std::vector<uint64_t> lines,
         unsigned inFlight, Cycle start = 0)
      : engine(engine), memory(memory), lines(std::move(lines)),
        inFlight(inFlight), issued(this->lines.size()) {
    engine.add(*this);
    engine.wake(*this, start);
  }

  void tick(Cycle now) override {
    while (next < lines.size() && next - arrived < inFlight) {
      issued[next] = now;
      LineRequest request;
      request.line = lines[next];
      request.requester = this;
      request.tag = next++;
      memory.request(request);
    }
  }
  void receive(uint32_t, uint64_t tag) override {
    ++arrived;
    residency += engine.now() - issued[tag];
    last = engine.now();
    engine.wake(*this, engine.now());
  }
  bool finished() const override { return arrived == lines.size(); }
  std::string describe() const override {
    return "stream: waits for " + std::to_string(lines.size() - arrived) +
           " lines";
  }

  Cycle last = 0;
  /// Cycles from request to answer, summed.
  Cycle residency = 0;

private:
  Engine &engine;
  MemoryLevel &memory;
  std::vector<uint64_t> lines;
  unsigned inFlight;
  std::vector<Cycle> issued;
  size_t next = 0;
  size_t arrived = 0;
};

inline std::vector<uint64_t> sequential(uint64_t count) {
  std::vector<uint64_t> lines(count);
  for (uint64_t i = 0; i < count; ++i)
    lines[i] = i;
  return lines;
}

/// Pseudo-random lines below 2^bits (splitmix64: the same everywhere).
inline std::vector<uint64_t> randomLines(uint64_t count, unsigned bits) {
  std::vector<uint64_t> lines(count);
  uint64_t state = 1;
  for (uint64_t &line : lines) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    line = (z ^ z >> 31) >> (64 - bits);
  }
  return lines;
}

/// One core's caches over the memory.
struct Hierarchy {
  explicit Hierarchy(const Machine &m)
      : dram(engine, m), llc(engine, "llc", m.caches.llc, dram),
        l2(engine, "l2", m.caches.l2, llc),
        l1d(engine, "l1d", m.caches.l1d, l2) {
    llc.addSnooped(l1d);
    llc.addSnooped(l2);
  }
  Engine engine;
  Dram dram;
  Cache llc, l2, l1d;
};

} // namespace ember::sim::test

#endif // EMBER_TEST_UNIT_SIMULATOR_MEMORYTESTAGENTS_H
