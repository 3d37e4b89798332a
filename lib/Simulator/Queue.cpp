//===- Queue.cpp - The queues between access unit and core ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Queue.h"

#include <algorithm>

using namespace ember::sim;

namespace {
enum Kind : uint32_t { BecomesVisible, BecomesFree };
} // namespace

TimedQueue::TimedQueue(Engine &engine, std::string name, uint64_t capacity,
                       uint64_t base)
    : engine(engine), queueName(std::move(name)), bytes(capacity), base(base) {}

void TimedQueue::waitVisible(uint64_t needed, Receiver &to, uint32_t kind,
                             uint64_t tag) {
  if (needed <= visibleCount)
    return engine.send(to, engine.now(), kind, tag);
  ++stats.emptyWaits;
  waiters.push_back({needed, &to, tag, kind});
}

void TimedQueue::release(uint64_t consumed, Cycle when) {
  engine.send(*this, when, BecomesFree, consumed);
}

void TimedQueue::push(uint64_t position, Cycle when) {
  assert(hasSpace(position) && "the producer overran the queue");
  ++stats.pushes;
  stats.bytes += position - producedCount;
  producedCount = position;
  stats.peakBytes = std::max(stats.peakBytes, producedCount - consumedCount);
  engine.send(*this, when, BecomesVisible, position);
}

void TimedQueue::close(Cycle when) {
  engine.send(*this, when, BecomesVisible, ~uint64_t(0));
}

void TimedQueue::receive(uint32_t kind, uint64_t position) {
  if (kind == BecomesFree) {
    consumedCount = std::max(consumedCount, position);
    if (producer)
      engine.wake(*producer, engine.now());
    return;
  }
  visibleCount = std::max(visibleCount, position);
  auto satisfied = [&](const Waiter &waiter) {
    if (waiter.needed > visibleCount)
      return false;
    engine.send(*waiter.to, engine.now(), waiter.kind, waiter.tag);
    return true;
  };
  waiters.erase(std::remove_if(waiters.begin(), waiters.end(), satisfied),
                waiters.end());
}
