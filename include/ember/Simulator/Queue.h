//===- Queue.h - The queues of an access unit, in time ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The timing side of an ember_queue: when bytes become visible to the core,
// and when the space they took becomes free for the access unit. Positions are
// the free-running byte counts of the ABI.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_QUEUE_H
#define EMBER_SIMULATOR_QUEUE_H

#include "ember/Simulator/Engine.h"
#include "ember/Simulator/Memory.h"

namespace ember::sim {

struct QueueStatistics {
  uint64_t pushes = 0;
  uint64_t bytes = 0;
  /// Cycles the producer had an element ready and no space for it.
  Cycle fullCycles = 0;
  /// Most bytes in the queue at once.
  uint64_t peakBytes = 0;
  /// Times a consumer had to wait.
  uint64_t emptyWaits = 0;
};

class TimedQueue final : public Receiver {
public:
  /// `capacity`: bytes of the ring. `base`: its simulated address.
  TimedQueue(Engine &engine, std::string name, uint64_t capacity,
             uint64_t base);

  const std::string &name() const { return queueName; }
  uint64_t capacity() const { return bytes; }
  /// Simulated address of byte `position`.
  uint64_t address(uint64_t position) const { return base + position % bytes; }

  //===-- Consumer
  //---------------------------------------------------------===//

  /// Bytes visible to the consumer in this cycle.
  uint64_t visible() const { return visibleCount; }

  /// Sends `to` the message (kind, tag) in the cycle in which the first
  /// `needed` bytes are visible: in this cycle if they already are.
  void waitVisible(uint64_t needed, Receiver &to, uint32_t kind, uint64_t tag);

  /// The consumer's count becomes `consumed` in cycle `when`.
  void release(uint64_t consumed, Cycle when);

  //===-- Producer
  //---------------------------------------------------------===//

  /// True if the ring can hold bytes up to `position`.
  bool hasSpace(uint64_t position) const {
    return position <= consumedCount + bytes;
  }

  /// Bytes up to `position` are written and become visible in cycle `when`.
  /// The producer keeps to hasSpace. Cycles must not decrease from call to
  /// call.
  void push(uint64_t position, Cycle when);

  /// Everything is visible from cycle `when` on (the unit met a fault; the
  /// ring reads as zeros).
  void close(Cycle when);

  /// The agent to wake when space becomes free.
  void setProducer(Agent *agent) { producer = agent; }

  uint64_t produced() const { return producedCount; }
  uint64_t consumed() const { return consumedCount; }
  QueueStatistics &statistics() { return stats; }
  const QueueStatistics &statistics() const { return stats; }

  void receive(uint32_t kind, uint64_t payload) override;

private:
  struct Waiter {
    uint64_t needed;
    Receiver *to;
    uint64_t tag;
    uint32_t kind;
  };

  Engine &engine;
  std::string queueName;
  uint64_t bytes;
  uint64_t base;
  Agent *producer = nullptr;
  uint64_t producedCount = 0; ///< pushed, perhaps not visible yet
  uint64_t visibleCount = 0;
  uint64_t consumedCount = 0; ///< as the producer sees it
  std::vector<Waiter> waiters;
  QueueStatistics stats;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_QUEUE_H
