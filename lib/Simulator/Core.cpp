//===- Core.cpp - The out-of-order core: state, retirement, accounts ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>

using namespace ember::sim;

static uint32_t roundUpToPowerOf2(uint32_t value) {
  uint32_t result = 64; // at least one word of ready bits
  while (result < value)
    result *= 2;
  return result;
}

const char *ember::sim::name(CycleCause cause) {
  static const char *const names[] = {"retiring", "memory", "queue_empty",
                                      "branch",   "issue",  "configure",
                                      "idle"};
  static_assert(sizeof(names) / sizeof(names[0]) == kNumCauses);
  return names[unsigned(cause)];
}

Core::Core(std::string name, Engine &engine, const Machine &machine,
           const Program &program, TraceSource &trace,
           Surroundings &surroundings, Cache &l1d, Cache &l2)
    : name(std::move(name)), engine(engine), program(program), trace(trace),
      surroundings(surroundings), l1d(l1d), l2(l2),
      predictor(machine.core.branch), dispatchWidth(machine.core.dispatchWidth),
      retireWidth(machine.core.retireWidth), robSize(machine.core.rob),
      issueSize(machine.core.issueQueue), loadSize(machine.core.loadQueue),
      storeSize(machine.core.storeQueue),
      addressLatency(machine.core.addressLatency),
      mispredictPenalty(machine.core.branch.mispredictPenalty),
      registerWriteCycles(
          machine.accessUnit ? machine.accessUnit->cyclesPerRegisterWrite : 0),
      forwardLatency(addressLatency + std::max(l1d.params().tagLatency,
                                               l1d.params().dataLatency)),
      ports(machine.core.ports) {
  rob.resize(roundUpToPowerOf2(robSize));
  mask = uint32_t(rob.size()) - 1;
  readyWords = unsigned(rob.size() / 64);
  stores.resize(roundUpToPowerOf2(storeSize));
  storeMask = uint32_t(stores.size()) - 1;
  writer.assign(program.numSlots, 0);
  wheel.fill(kNoNode);
  ports.multiply = std::min<unsigned>(ports.multiply, multiBusy.size());
}

void Core::addQueue(const CoreQueue &queue) {
  if (queueOf.size() <= queue.argument)
    queueOf.resize(queue.argument + 1, -1);
  queueOf[queue.argument] = int8_t(queues.size());
  queues.push_back(queue);
  consumedSeen.push_back(0);
}

void Core::start() {
  traceEnded = false;
  running = true;
  engine.wake(*this, engine.now());
}

void Core::tick(Cycle now) {
  complete(now);
  unsigned numRetired = retire();
  drain(now);
  issue(now);
  Cycle next = dispatch(now);
  account(now, numRetired);

  bool mayRetire = head != tail && rob[head & mask].state == State::Done;
  const Store &store = stores[storeSend & storeMask];
  bool drains = storeSend != storeTail && mayDrain(store);
  if (allReady || mayRetire || drains)
    next = now + 1;
  next = std::min(next, nextCompletion(now));
  if (!drainEnds.empty())
    next = std::min(next, drainEnds.front().when);
  if (next != never)
    engine.wake(*this, next);
  if (running && finished()) {
    running = false;
    surroundings.ended();
  }
}

unsigned Core::retire() {
  unsigned count = 0;
  for (; count < retireWidth && head != tail; ++count) {
    Entry &entry = rob[head & mask];
    if (entry.state != State::Done)
      break;
    if (isLoad(entry.memory))
      --loadsUsed;
    else if (isStore(entry.memory))
      stores[entry.store].retired = true;
    ++head;
  }
  stats.retired += count;
  return count;
}

bool Core::finished() const {
  return traceEnded && head == tail && storeHead == storeTail && op == opsEnd;
}

//===----------------------------------------------------------------------===//
// Accounting
//===----------------------------------------------------------------------===//

CycleCause Core::cause(Cycle now) const {
  if (head == tail) {
    if (now < fetchFrom)
      return CycleCause::Branch;
    if (waitsToConfigure || now < configureEnd)
      return CycleCause::Configure;
    if (waitsForUnit)
      return CycleCause::QueueEmpty;
    if (waitsForOthers)
      return CycleCause::Idle;
    if (storesFull)
      return CycleCause::Memory;
    if (traceEnded)
      return storeHead == storeTail ? CycleCause::Idle : CycleCause::Memory;
    return CycleCause::Issue;
  }
  const Entry &oldest = rob[head & mask];
  switch (oldest.state) {
  case State::Queue:
    return CycleCause::QueueEmpty;
  case State::Memory:
    return CycleCause::Memory;
  case State::Waiting: // all before it has retired: for a store to drain
    return CycleCause::Memory;
  default:
    return oldest.missed ? CycleCause::Memory : CycleCause::Issue;
  }
}

Phase Core::phase() const {
  if (head != tail)
    return rob[head & mask].phase;
  return block != kNone ? program.blocks[block].phase : Phase::Host;
}

void Core::account(Cycle now, unsigned numRetired) {
  uint64_t gap = now - accounted;
  stats.causes[unsigned(gapCause)] += gap;
  stats.phases[unsigned(gapPhase)] += gap;
  gapCause = cause(now);
  gapPhase = phase();
  CycleCause this_ = numRetired ? CycleCause::Retiring : gapCause;
  stats.causes[unsigned(this_)] += 1;
  stats.phases[unsigned(gapPhase)] += 1;
  accounted = now + 1;
}

void Core::finish(Cycle end) {
  if (end <= accounted)
    return;
  uint64_t gap = end - accounted;
  stats.causes[unsigned(gapCause)] += gap;
  stats.phases[unsigned(gapPhase)] += gap;
  accounted = end;
}

std::string Core::describe() const {
  std::string where =
      block == kNone
          ? std::string("the start")
          : "function '" +
                program.routines[program.blocks[block].routine].name + "'";
  if (head == tail)
    return name +
           (waitsForUnit     ? ": waits for the access unit, in "
            : waitsForOthers ? ": waits for the other cores, in "
                             : ": nothing in flight, in ") +
           where;
  const Entry &oldest = rob[head & mask];
  switch (oldest.state) {
  case State::Queue: {
    const CoreQueue &queue = queues[oldest.queue];
    return name + ": waits for byte " + std::to_string(oldest.position) +
           " of queue " + queue.queue->name() + " (" +
           std::to_string(queue.queue->visible()) + " are visible), in " +
           where;
  }
  case State::Memory:
    return name + ": waits for memory, in " + where;
  default:
    return name + ": executing " +
           std::string(info(program.ops[oldest.op].opClass).name) + ", in " +
           where;
  }
}
