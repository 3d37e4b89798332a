//===- CoreExecute.cpp - Issue, memory accesses and completion ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace ember::sim;

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

void Core::schedule(uint32_t index, Cycle when) {
  Cycle now = engine.now();
  if (when - now >= kWheel) {
    engine.send(*this, when, FarCompletion, index);
    return;
  }
  unsigned bucket = when % kWheel;
  rob[index].wheelNext = wheel[bucket];
  wheel[bucket] = uint16_t(index);
  wheelBits[bucket / 64] |= uint64_t(1) << (bucket % 64);
  ++inWheel;
}

Cycle Core::nextCompletion(Cycle now) const {
  if (!inWheel)
    return never;
  // From the bucket after this cycle's, once around.
  unsigned first = (now + 1) % kWheel;
  uint64_t bits = wheelBits[first / 64] >> (first % 64) << (first % 64);
  for (unsigned i = 0; i <= kWheel / 64; ++i) {
    unsigned at = (first / 64 + i) % (kWheel / 64);
    if (i)
      bits = wheelBits[at];
    if (bits) {
      unsigned bucket = at * 64 + llvm::countr_zero(bits);
      return now + 1 + (bucket - first) % kWheel;
    }
  }
  return never;
}

void Core::complete(Cycle now) {
  unsigned bucket = now % kWheel;
  uint16_t index = wheel[bucket];
  if (index == kNoNode)
    return;
  wheel[bucket] = kNoNode;
  wheelBits[bucket / 64] &= ~(uint64_t(1) << (bucket % 64));
  while (index != kNoNode) {
    uint16_t next = rob[index].wheelNext;
    --inWheel;
    if (rob[index].state == State::Address)
      lookUp(index, now);
    else
      finishEntry(index, now);
    index = next;
  }
}

void Core::finishEntry(uint32_t index, Cycle now) {
  Entry &entry = rob[index];
  entry.state = State::Done;
  wakeUsers(entry.users);
  if (entry.mispredicted) {
    mispredictPending = false;
    fetchFrom = now + mispredictPenalty;
  }
  if (isStore(entry.memory))
    stores[entry.store].done = true;
}

void Core::wakeUsers(uint16_t &list) {
  uint16_t node = list;
  list = kNoNode;
  while (node != kNoNode) {
    uint32_t index = node >> kNodeShift;
    Entry &user = rob[index];
    node = user.next[node & ((1u << kNodeShift) - 1)];
    if (--user.waiting == 0)
      setReady(index);
  }
}

void Core::setReady(uint32_t index) {
  Entry &entry = rob[index];
  entry.state = State::Ready;
  unsigned pipe = unsigned(program.ops[entry.op].pipe);
  ready[pipe][index / 64] |= uint64_t(1) << (index % 64);
  ++numReady[pipe];
  ++allReady;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

void Core::issue(Cycle now) {
  if (!allReady)
    return;
  // Pipes with more abilities first, or simple work could keep them busy.
  unsigned multiFree = 0;
  for (unsigned pipe = 0; pipe < ports.multiply; ++pipe)
    multiFree += multiBusy[pipe] <= now;
  unsigned integers =
      ports.alu - std::min(ports.alu, ports.multiply - multiFree);
  integers -= issueFrom(Pipe::IntegerMulti, std::min(multiFree, integers), now);
  issueFrom(Pipe::Integer, integers, now);

  unsigned vectors = ports.vector;
  if (vector0Busy > now)
    --vectors;
  else
    vectors -= issueFrom(Pipe::Vector0, std::min(1u, vectors), now);
  vectors -= issueFrom(Pipe::Vector1, std::min(1u, vectors), now);
  issueFrom(Pipe::Vector, vectors, now);

  issueFrom(Pipe::Branch, ports.branch, now);

  // Loads and stores share their address pipes.
  unsigned addresses = std::max(ports.load, ports.store);
  addresses -= issueFrom(Pipe::Load, ports.load, now);
  issueFrom(Pipe::Store, std::min(ports.store, addresses), now);
}

/// Issues up to `budget` of the pipe's ready micro-ops, oldest first.
unsigned Core::issueOldest(Pipe pipe, unsigned budget, Cycle now) {
  auto &bits = ready[unsigned(pipe)];
  unsigned first = uint32_t(head) & mask;
  unsigned issued = 0;
  for (unsigned i = 0; i <= readyWords && issued < budget; ++i) {
    unsigned at = (first / 64 + i) % readyWords;
    // The word of the head is visited twice: from it on, then up to it.
    uint64_t range = ~uint64_t(0);
    if (i == 0)
      range <<= first % 64;
    else if (i == readyWords)
      range = ~(range << (first % 64));
    while (uint64_t left = bits[at] & range) {
      if (issued == budget)
        return issued;
      uint32_t index = at * 64 + llvm::countr_zero(left);
      bits[at] &= ~(left & -left);
      --numReady[unsigned(pipe)];
      --allReady;
      --issueUsed;
      ++issued;
      start(index, now);
    }
  }
  return issued;
}

void Core::start(uint32_t index, Cycle now) {
  Entry &entry = rob[index];
  const MicroOp &micro = program.ops[entry.op];
  if (micro.interval > 1) {
    if (micro.pipe == Pipe::Vector0) {
      vector0Busy = now + micro.interval;
    } else if (micro.pipe == Pipe::IntegerMulti) {
      *std::find_if(multiBusy.begin(), multiBusy.end(), [&](Cycle until) {
        return until <= now;
      }) = now + micro.interval;
    }
  }
  entry.state = State::Executing;
  switch (entry.memory) {
  case MemoryUse::Load:
  case MemoryUse::MaskedLoad:
  case MemoryUse::LaneLoad:
    if (entry.bytes == 0)
      break; // no lane is on
    if (entry.forwards) {
      schedule(index, now + forwardLatency + micro.latency);
      return;
    }
    entry.state = State::Address;
    if (addressLatency)
      schedule(index, now + addressLatency);
    else
      lookUp(index, now);
    return;
  case MemoryUse::Prefetch:
  case MemoryUse::PrefetchL2:
    if (entry.address) {
      uint64_t line = (entry.address & kAddressMask) >> lineShift;
      Cache &cache = micro.memory == MemoryUse::PrefetchL2 ? l2 : l1d;
      if (cache.prefetch(line, ArgumentId(entry.address >> kArgumentShift)))
        ++stats.prefetches;
      else
        ++stats.prefetchesDropped;
    }
    break;
  default:
    break;
  }
  schedule(index, now + std::max<unsigned>(micro.latency, 1));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

LineRequest Core::lineRequest(uint64_t line, uint32_t op,
                              uint64_t argument) const {
  LineRequest request;
  request.line = line;
  request.requester = const_cast<Core *>(this);
  request.pc = op + 1; // 0 is no instruction
  request.argument = ArgumentId(argument);
  return request;
}

void Core::lookUp(uint32_t index, Cycle now) {
  Entry &entry = rob[index];
  const MicroOp &micro = program.ops[entry.op];
  if (entry.queue >= 0) {
    TimedQueue &queue = *queues[entry.queue].queue;
    if (queue.visible() < entry.position) {
      entry.state = State::Queue;
      ++stats.queueWaits;
      queue.waitVisible(entry.position, *this, QueueVisible, index);
      return;
    }
  }
  uint64_t at = entry.address & kAddressMask;
  uint64_t last = (at + entry.bytes - 1) >> lineShift;
  for (uint64_t line = at >> lineShift; line <= last; ++line) {
    LineRequest request =
        lineRequest(line, entry.op, entry.address >> kArgumentShift);
    if (entry.queue >= 0)
      request.pc = 0; // a ring's lines come from the access unit
    request.tag = index;
    request.kind = LoadLine;
    Cycle hit = 0;
    if (l1d.access(request, hit))
      entry.ready = std::max(entry.ready, hit);
    else
      ++entry.lines;
  }
  if (entry.lines) {
    entry.missed = true;
    entry.state = State::Memory;
    return;
  }
  entry.state = State::Executing;
  schedule(index, std::max(entry.ready, now + 1) + micro.latency);
}

void Core::receive(uint32_t kind, uint64_t payload) {
  Cycle now = engine.now();
  uint32_t index = uint32_t(payload);
  switch (Message(kind)) {
  case LoadLine: {
    Entry &entry = rob[index];
    entry.ready = std::max(entry.ready, now);
    if (--entry.lines)
      return;
    entry.state = State::Executing;
    Cycle done = entry.ready + program.ops[entry.op].latency;
    schedule(index, done);
    engine.wake(*this, done);
    return;
  }
  case QueueVisible:
    // Not counted as a miss unless the L1D says so.
    rob[index].state = State::Address;
    schedule(index, now);
    engine.wake(*this, now);
    return;
  case FarCompletion:
    schedule(index, now);
    engine.wake(*this, now);
    return;
  case StoreLine: {
    Store &store = stores[index];
    store.ready = std::max(store.ready, now);
    if (--store.lines == 0) {
      --storesMissing;
      endDrainAt(index, store.ready);
    }
    return;
  }
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Core::drain(Cycle now) {
  while (!drainEnds.empty() && drainEnds.front().when <= now) {
    uint32_t index = drainEnds.front().store;
    std::pop_heap(drainEnds.begin(), drainEnds.end());
    drainEnds.pop_back();
    finishDrain(index, now);
  }
  while (storeHead != storeSend && stores[storeHead & storeMask].drained)
    ++storeHead;
  if (storeSend == storeTail)
    return;
  Store &store = stores[storeSend & storeMask];
  if (!mayDrain(store))
    return;
  sendStore(uint32_t(storeSend++) & storeMask, now);
}

void Core::sendStore(uint32_t index, Cycle now) {
  Store &store = stores[index];
  if (store.bytes == 0) {
    endDrainAt(index, now + 1);
    return;
  }
  uint64_t last = (store.address + store.bytes - 1) >> lineShift;
  for (uint64_t line = store.address >> lineShift; line <= last; ++line) {
    LineRequest request = lineRequest(line, store.op, store.argument);
    request.tag = index;
    request.kind = StoreLine;
    request.write = true;
    request.whole = store.bytes == lineBytes && store.address % lineBytes == 0;
    Cycle hit = 0;
    if (l1d.access(request, hit))
      store.ready = std::max(store.ready, hit);
    else
      ++store.lines;
  }
  if (store.lines)
    ++storesMissing;
  else
    endDrainAt(index, std::max(store.ready, now + 1));
}

void Core::endDrainAt(uint32_t index, Cycle when) {
  drainEnds.push_back({when, index});
  std::push_heap(drainEnds.begin(), drainEnds.end());
  engine.wake(*this, when);
}

void Core::finishDrain(uint32_t index, Cycle now) {
  Store &store = stores[index];
  store.drained = true;
  if (store.bytes) {
    uint64_t last = (store.address + store.bytes - 1) >> lineShift;
    for (uint64_t line = store.address >> lineShift; line <= last; ++line)
      --storeLines[line % storeLines.size()];
  }
  wakeUsers(store.drainUsers);
  if (store.queue >= 0)
    queues[store.queue].queue->release(store.value, now);
}
