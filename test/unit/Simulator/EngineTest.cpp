//===- EngineTest.cpp - Clock, queues and deadlocks -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Queue.h"

#include "gtest/gtest.h"

using namespace ember::sim;

namespace {

/// Notes when its messages arrive.
struct Recorder : Receiver {
  explicit Recorder(Engine &engine) : engine(engine) {}
  void receive(uint32_t, uint64_t payload) override {
    seen.push_back({engine.now(), payload});
  }
  Engine &engine;
  std::vector<std::pair<Cycle, uint64_t>> seen;
};

/// Is done at a given cycle.
struct Alarm : Agent {
  Alarm(Engine &engine, Cycle at) : at(at) {
    engine.add(*this);
    engine.wake(*this, at);
  }
  void tick(Cycle now) override { rang = now; }
  bool finished() const override { return rang == at; }
  std::string describe() const override { return "alarm"; }
  Cycle at;
  Cycle rang = never;
};

TEST(Engine, DeliversInOrderOfTimeThenOfSending) {
  Engine engine;
  Recorder recorder(engine);
  Alarm alarm(engine, 20000);
  engine.send(recorder, 9000, 0, 1); // beyond the wheel
  engine.send(recorder, 5, 0, 2);
  engine.send(recorder, 9000, 0, 3);
  engine.send(recorder, 4095, 0, 4);
  engine.send(recorder, 4096, 0, 5);
  engine.send(recorder, 5, 0, 6);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  std::vector<std::pair<Cycle, uint64_t>> expected = {
      {5, 2}, {5, 6}, {4095, 4}, {4096, 5}, {9000, 1}, {9000, 3}};
  EXPECT_EQ(recorder.seen, expected);
  EXPECT_EQ(engine.now(), 20000u);
}

TEST(Engine, StopsAtTheCycleLimit) {
  Engine engine;
  Alarm alarm(engine, 1000);
  RunResult result = engine.run(999);
  EXPECT_EQ(result.status, RunStatus::CycleLimit);
  EXPECT_EQ(result.cycles, 999u);
  EXPECT_EQ(result.report, "alarm");
}

//===----------------------------------------------------------------------===//
// A producer and a consumer with fixed speeds
//===----------------------------------------------------------------------===//

constexpr Cycle latency = 5;

struct Producer : Agent {
  Producer(Engine &engine, TimedQueue &queue, unsigned chunks, unsigned bytes,
           Cycle period)
      : engine(engine), queue(queue), left(chunks), bytes(bytes),
        period(period) {
    queue.setProducer(this);
    engine.add(*this);
    engine.wake(*this, period);
  }
  void tick(Cycle now) override {
    if (!left)
      return;
    if (now < ready)
      return engine.wake(*this, ready);
    uint64_t position = queue.produced() + bytes;
    if (!queue.hasSpace(position))
      return;
    queue.push(position, now + latency);
    --left;
    ready = now + period;
    engine.wake(*this, ready);
  }
  bool finished() const override { return left == 0; }
  std::string describe() const override {
    return "producer: waits for space in queue " + queue.name();
  }
  Engine &engine;
  TimedQueue &queue;
  unsigned left, bytes;
  Cycle period;
  Cycle ready = 0;
};

struct Consumer : Agent, Receiver {
  Consumer(Engine &engine, TimedQueue &queue, unsigned chunks, unsigned bytes,
           Cycle period)
      : engine(engine), queue(queue), left(chunks), bytes(bytes),
        period(period) {
    engine.add(*this);
    await();
  }
  void await() {
    if (queue.visible() >= consumed + bytes)
      engine.wake(*this, engine.now() + period);
    else
      queue.waitVisible(consumed + bytes, *this, 0, 0);
  }
  void receive(uint32_t, uint64_t) override {
    engine.wake(*this, engine.now() + period);
  }
  void tick(Cycle now) override {
    consumed += bytes;
    queue.release(consumed, now + latency);
    last = now;
    if (--left)
      await();
  }
  bool finished() const override { return left == 0; }
  std::string describe() const override {
    return "consumer: waits for " + std::to_string(consumed + bytes) +
           " bytes of queue " + queue.name();
  }
  Engine &engine;
  TimedQueue &queue;
  unsigned left, bytes;
  Cycle period;
  uint64_t consumed = 0;
  Cycle last = 0;
};

Cycle runPair(unsigned chunks, Cycle p, Cycle q) {
  Engine engine;
  TimedQueue queue(engine, "data", 1024, 0);
  Consumer consumer(engine, queue, chunks, 64, q);
  Producer producer(engine, queue, chunks, 64, p);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  return consumer.last;
}

TEST(TimedQueue, TakesTheSlowerSideAChunkPlusTheFill) {
  // The fill: the first chunk is made (p), becomes visible, is used (q).
  for (auto [p, q] : {std::pair<Cycle, Cycle>{10, 3},
                      {7, 6},
                      {20, 1},
                      {3, 10},
                      {6, 7},
                      {1, 20},
                      {4, 4}})
    EXPECT_EQ(runPair(100, p, q), p + latency + q + 99 * std::max(p, q))
        << p << ' ' << q;
}

TEST(TimedQueue, NeverHoldsMoreThanItsCapacity) {
  Engine engine;
  TimedQueue queue(engine, "data", 256, 0);
  Consumer consumer(engine, queue, 50, 64, 40);
  Producer producer(engine, queue, 50, 64, 1);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  EXPECT_EQ(queue.statistics().peakBytes, 256u);
  EXPECT_EQ(queue.statistics().bytes, 50u * 64);
}

TEST(Engine, ADeadlockNamesBothSides) {
  // The producer wants space for 512 bytes in a queue of 256; the consumer
  // wants those bytes before it frees any.
  Engine engine;
  TimedQueue data(engine, "data", 256, 0);
  TimedQueue scalar(engine, "scalar", 256, 0);
  Producer producer(engine, data, 8, 64, 1);
  Consumer consumer(engine, scalar, 1, 8, 1);
  RunResult result = engine.run();
  EXPECT_EQ(result.status, RunStatus::Deadlock);
  EXPECT_EQ(result.report, "producer: waits for space in queue data\n"
                           "consumer: waits for 8 bytes of queue scalar");
}

TEST(TimedQueue, AClosedQueueKeepsNobodyWaiting) {
  Engine engine;
  TimedQueue queue(engine, "token", 256, 0);
  Consumer consumer(engine, queue, 3, 8, 1);
  queue.close(30);
  EXPECT_EQ(engine.run().status, RunStatus::Finished);
  EXPECT_GE(consumer.last, 30u);
}

} // namespace
