//===- CoreDispatch.cpp - From the trace into the reorder buffer ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>

using namespace ember::sim;

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

uint64_t Core::peekWord() {
  if (word == wordsEnd) {
    llvm::ArrayRef<uint64_t> words = trace.refill();
    word = words.begin();
    wordsEnd = words.end();
  }
  return *word;
}

uint64_t Core::takeWord() {
  uint64_t value = peekWord();
  ++word;
  return value;
}

/// Takes the next record. False if the core must wait before it.
bool Core::nextRecord(Cycle now) {
  if (traceEnded)
    return false;
  uint64_t next = peekWord();
  switch (record::kind(next)) {
  case record::BlockRecord:
    ++word;
    enterBlock(record::payload(next));
    return true;
  case record::Configure:
    waitsToConfigure = head != tail;
    if (waitsToConfigure)
      return false;
    ++word;
    stats.registerWrites += record::payload(next);
    configureEnd = std::max(now, configureEnd) +
                   record::payload(next) * registerWriteCycles;
    return configureEnd <= now;
  case record::Start:
  case record::Fork:
    // What the unit or the other core will read must have been written.
    waitsToConfigure = head != tail || storeHead != storeTail;
    if (waitsToConfigure)
      return false;
    ++word;
    if (record::kind(next) == record::Start)
      surroundings.ring(record::payload(next));
    else
      surroundings.fork(record::payload(next));
    return true;
  case record::JoinCores:
    waitsForOthers = head != tail || !surroundings.othersIdle();
    if (waitsForOthers)
      return false;
    ++word;
    return true;
  case record::Join:
    waitsForUnit = head != tail || !surroundings.unitIdle();
    if (waitsForUnit)
      return false;
    ++word;
    return true;
  case record::Finished:
    ++word;
    traceEnded = true;
    return false;
  }
  return false;
}

void Core::enterBlock(uint32_t number) {
  previousBlock = block;
  block = number;
  const Block &entered = program.blocks[number];
  op = entered.firstOp;
  opsEnd = entered.firstOp + entered.numOps;
  ++stats.blocks;
  const Edge *edges = program.edges.data() + entered.firstEdge;
  for (unsigned i = 0; i < entered.numEdges; ++i) {
    const Edge &edge = edges[i];
    if (edge.from != previousBlock)
      continue;
    const Rename *renames = program.renames.data() + edge.firstRename;
    if (renamed.size() < edge.numRenames)
      renamed.resize(edge.numRenames);
    for (unsigned j = 0; j < edge.numRenames; ++j)
      renamed[j] = writer[renames[j].from];
    for (unsigned j = 0; j < edge.numRenames; ++j)
      writer[renames[j].to] = renamed[j];
    return;
  }
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Cycle Core::dispatch(Cycle now) {
  storesFull = false;
  if (mispredictPending)
    return never;
  if (Cycle from = std::max(fetchFrom, configureEnd); now < from)
    return from;
  for (unsigned count = 0; count < dispatchWidth; ++count) {
    while (op == opsEnd)
      if (!nextRecord(now))
        return now < configureEnd ? configureEnd : never;
    if (!hasRoom(program.ops[op])) {
      storesFull = storeTail - storeHead == storeSize;
      return never; // until something retires, issues or drains
    }
    dispatchOp();
    if (mispredictPending)
      return never;
  }
  return now + 1;
}

bool Core::hasRoom(const MicroOp &micro) const {
  if (tail - head == robSize || issueUsed == issueSize)
    return false;
  if (isLoad(micro.memory))
    return loadsUsed < loadSize;
  if (isStore(micro.memory))
    return storeTail - storeHead < storeSize;
  return true;
}

void Core::dispatchOp() {
  const MicroOp &micro = program.ops[op];
  uint64_t sequence = tail++;
  uint32_t index = uint32_t(sequence) & mask;
  Entry &entry = rob[index];
  entry = Entry();
  entry.op = op;
  entry.phase = program.blocks[block].phase;
  entry.state = State::Waiting;
  entry.memory = micro.memory;
  ++issueUsed;
  ++stats.ops[unsigned(micro.opClass)];

  for (unsigned i = 0; i < MicroOp::kSources && micro.source[i]; ++i) {
    uint64_t last = writer[micro.source[i]];
    if (last <= head)
      continue; // never written, or retired
    Entry &producer = rob[uint32_t(last - 1) & mask];
    if (producer.state != State::Done)
      dependOn(index, i, producer.users);
  }
  if (micro.destination)
    writer[micro.destination] = sequence + 1;
  if (micro.memory != MemoryUse::None) {
    setAccess(entry, micro);
    if (isLoad(micro.memory)) {
      ++loadsUsed;
      ++stats.loads;
      orderAfterStores(entry, index);
    } else if (isStore(micro.memory)) {
      ++stats.stores;
      addStore(entry, index, micro);
    }
  }
  if (++op == opsEnd && program.blocks[block].terminator != Terminator::Plain)
    predictBranch(entry);
  if (entry.waiting == 0)
    setReady(index);
}

void Core::dependOn(uint32_t index, unsigned node, uint16_t &list) {
  Entry &entry = rob[index];
  entry.next[node] = list;
  list = uint16_t(index << kNodeShift | node);
  ++entry.waiting;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Core::setAccess(Entry &entry, const MicroOp &micro) {
  bool masked = micro.memory == MemoryUse::MaskedLoad ||
                micro.memory == MemoryUse::MaskedStore;
  if (micro.takesWords) {
    address = takeWord();
    if (masked || micro.memory == MemoryUse::Release)
      address2 = takeWord();
  }
  entry.address = address + micro.offset;
  entry.bytes = address ? micro.bytes : 0; // a lane that is off
  if (masked) {
    uint32_t first = std::max<uint32_t>(uint32_t(address2), micro.offset);
    uint32_t end = std::min<uint32_t>(uint32_t(address2 >> 32),
                                      micro.offset + micro.bytes);
    entry.address = address + first;
    entry.bytes = uint16_t(first < end ? end - first : 0);
  }
  if (address == 0)
    entry.address = 0;

  uint64_t argument = address >> kArgumentShift;
  if (argument >= queueOf.size() || queueOf[argument] < 0 || !entry.bytes)
    return;
  int8_t number = queueOf[argument];
  const CoreQueue &queue = queues[number];
  uint64_t at = entry.address & kAddressMask;
  if (micro.memory == MemoryUse::Release) {
    if (at == queue.consumedAddress) {
      consumedSeen[number] = address2;
      entry.queue = number;
    }
    return;
  }
  if (micro.memory == MemoryUse::Load && at >= queue.ringAddress) {
    // The ring holds the bytes from the consumed count on: the only position
    // there that has this place in the ring.
    uint64_t consumed = consumedSeen[number];
    uint64_t ahead =
        (at - queue.ringAddress - consumed) & (queue.queue->capacity() - 1);
    entry.position = consumed + ahead + entry.bytes;
    entry.queue = number;
    ++stats.queueLoads;
  }
}

void Core::addStore(Entry &entry, uint32_t index, const MicroOp &micro) {
  uint32_t place = uint32_t(storeTail++) & storeMask;
  entry.store = place;
  Store &store = stores[place];
  store = Store();
  store.address = entry.address & kAddressMask;
  store.argument = uint16_t(entry.address >> kArgumentShift);
  store.bytes = entry.bytes;
  store.entry = index;
  store.op = entry.op;
  store.release = micro.memory == MemoryUse::Release;
  store.value = store.release ? address2 : 0;
  store.queue = entry.queue;
  if (!store.bytes)
    return;
  uint64_t last = (store.address + store.bytes - 1) >> lineShift;
  for (uint64_t line = store.address >> lineShift; line <= last; ++line)
    ++storeLines[line % storeLines.size()];
}

/// Makes a load wait for the youngest older store that overlaps it.
void Core::orderAfterStores(Entry &entry, uint32_t index) {
  if (!entry.bytes || storeHead == storeTail)
    return;
  uint64_t first = entry.address & kAddressMask, end = first + entry.bytes;
  bool possible = false;
  for (uint64_t line = first >> lineShift; line <= (end - 1) >> lineShift;
       ++line)
    possible |= storeLines[line % storeLines.size()] != 0;
  if (!possible)
    return;
  for (uint64_t i = storeTail; i-- != storeHead;) {
    Store &store = stores[i & storeMask];
    if (store.drained || store.address >= end ||
        store.address + store.bytes <= first)
      continue;
    if (store.address <= first && store.address + store.bytes >= end) {
      entry.forwards = true;
      ++stats.forwarded;
      if (!store.done)
        dependOn(index, MicroOp::kSources, rob[store.entry].users);
    } else {
      dependOn(index, MicroOp::kSources, store.drainUsers);
    }
    return;
  }
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void Core::predictBranch(Entry &entry) {
  const Block &from = program.blocks[block];
  uint64_t next = peekWord();
  if (record::kind(next) != record::BlockRecord)
    return; // the program stopped at a fault
  uint32_t target = record::payload(next);
  ++stats.branches;
  bool right = true;
  if (from.terminator == Terminator::Conditional)
    right = predictor.conditional(block, target == from.taken);
  else if (from.terminator == Terminator::Indirect)
    right = predictor.indirect(block, target);
  if (right)
    return;
  ++stats.mispredicts;
  entry.mispredicted = true;
  mispredictPending = true;
}
