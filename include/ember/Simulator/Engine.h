//===- Engine.h - One clock for the whole machine ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The machine is a set of agents (cores, access units, memory controllers)
// and of passive parts that answer to messages (caches, queues). All share one
// clock, in core cycles. Cycles in which nothing happens are skipped.
//
// Within a cycle the order is fixed, so a run is the same to the bit
// everywhere: first the messages due, in the order they were sent; then the
// agents that asked to be woken, in the order they were added.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_ENGINE_H
#define EMBER_SIMULATOR_ENGINE_H

#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

namespace ember::sim {

/// Core cycles since the start of the run.
using Cycle = uint64_t;
inline constexpr Cycle never = ~Cycle(0);

/// What takes messages. `kind` and `payload` are the receiver's own.
class Receiver {
public:
  virtual ~Receiver() = default;
  virtual void receive(uint32_t kind, uint64_t payload) = 0;
};

/// A part with work of its own, ticked in the cycles it asked for.
class Agent {
public:
  virtual ~Agent() = default;

  /// Does this cycle's work. Ask for the next tick with Engine::wake.
  virtual void tick(Cycle now) = 0;

  /// True when nothing is left to do. The run ends when all agents are done.
  virtual bool finished() const = 0;

  /// The agent's name and what it waits for, for the report of a deadlock:
  /// "core 0: waits for 264 bytes of queue data (pop at bag.mlir:12)".
  virtual std::string describe() const = 0;

private:
  friend class Engine;
  Cycle nextTick = never;
};

enum class RunStatus {
  Finished,   ///< all agents are done
  CycleLimit, ///< the limit was reached; statistics are those so far
  Deadlock,   ///< agents are not done, yet nothing can happen any more
};

struct RunResult {
  RunStatus status;
  Cycle cycles;
  /// Empty when finished; else one line for each agent that is not done.
  std::string report;
};

class Engine {
public:
  Engine();

  Cycle now() const { return currentCycle; }

  /// Adds an agent; it is not owned. It starts asleep.
  void add(Agent &agent) { agents.push_back(&agent); }

  /// Ticks the agent at `when`, or sooner if it asked before. A cycle that has
  /// already ticked its agents means the next one.
  void wake(Agent &agent, Cycle when) {
    Cycle soonest = currentCycle + agentPhase;
    if (when < soonest)
      when = soonest;
    if (when < agent.nextTick)
      agent.nextTick = when;
  }

  /// Delivers a message at `when`: at least this cycle, or the next one when
  /// sent by an agent.
  void send(Receiver &to, Cycle when, uint32_t kind, uint64_t payload) {
    Cycle soonest = currentCycle + agentPhase;
    if (when < soonest)
      when = soonest;
    if (when - currentCycle >= numBuckets)
      return sendLater({when, numSent++, {&to, payload, kind}});
    unsigned bucket = when % numBuckets;
    buckets[bucket].push_back({&to, payload, kind});
    occupied[bucket / 64] |= uint64_t(1) << (bucket % 64);
  }

  /// Runs until all agents are done, nothing can happen, or `limit` cycles.
  RunResult run(Cycle limit = never);

private:
  static constexpr unsigned numBuckets = 4096;

  struct Message {
    Receiver *to;
    uint64_t payload;
    uint32_t kind;
  };
  struct LateMessage {
    Cycle when;
    uint64_t order;
    Message message;
  };

  void sendLater(const LateMessage &late);
  void admitLateMessages();
  Cycle nextMessage() const;
  bool allFinished() const;
  std::string describeAgents() const;

  Cycle currentCycle = 0;
  bool agentPhase = false;
  std::vector<Agent *> agents;
  /// The messages of the next numBuckets cycles, by cycle.
  std::vector<std::vector<Message>> buckets;
  std::array<uint64_t, numBuckets / 64> occupied = {};
  /// The messages beyond, a heap by cycle and order.
  std::vector<LateMessage> lateMessages;
  uint64_t numSent = 0;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_ENGINE_H
