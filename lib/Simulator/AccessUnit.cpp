//===- AccessUnit.cpp - The access unit in time ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AccessUnitLaunch.h"

#include <algorithm>

using namespace ember::sim;
using ember::rt::AccessItem;
using ember::rt::AccessOp;
using ember::rt::AccessProgram;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

AccessUnit::AccessUnit(Engine &engine, std::string name, const Machine &machine,
                       const Ports &ports, const AddressMap &addresses)
    : engine(engine), unitName(std::move(name)), params(*machine.accessUnit),
      visibleLatency(machine.queues.visibleLatency), ports(ports),
      addresses(addresses), slots(params.outstandingLines),
      table(params.outstandingLines) {
  for (unsigned i = slots.size(); i-- > 0;)
    freeSlots.push_back(i);
  for (TimedQueue *queue : ports.queues)
    queue->setProducer(this);
  stats.layerAddresses.resize(params.layers);
  engine.add(*this);
}

AccessUnit::~AccessUnit() = default;

static uint64_t storageOfOneElementEach(const AccessProgram &program) {
  uint64_t bytes = 0;
  for (const AccessOp &op : program.ops())
    if (op.kind == AccessOp::Mem)
      bytes += op.elementBytes();
  return bytes;
}

std::string AccessUnit::check(const AccessProgram &program) const {
  unsigned depth = 0;
  for (const AccessOp &op : program.ops()) {
    if (op.dst >= 0)
      depth = std::max(depth, program.depth(op.dst));
    if (op.kind == AccessOp::Push &&
        uint64_t(op.immediate) > ports.queues[op.queue]->capacity())
      return "an element of " + std::to_string(op.immediate) +
             " bytes does not fit queue " + ports.queues[op.queue]->name();
  }
  bool stores = std::any_of(
      program.ops().begin(), program.ops().end(),
      [](const AccessOp &op) { return op.kind == AccessOp::Store; });
  if (stores && !params.store)
    return "the kernel stores; the access unit cannot";
  if (depth > params.layers)
    return "the kernel nests " + std::to_string(depth) +
           " loops; the access unit has " + std::to_string(params.layers) +
           " layers";
  uint64_t bytes = storageOfOneElementEach(program);
  if (bytes > params.storageBytes())
    return "one element of each stream takes " + std::to_string(bytes) +
           " bytes; the access unit stores " +
           std::to_string(params.storageBytes());
  return "";
}

void AccessUnit::start(std::shared_ptr<const AccessProgram> program) {
  assert(check(*program).empty() && "the unit cannot run this program");
  if (theFault)
    return; // closed
  waiting.push_back(std::move(program));
  engine.wake(*this, engine.now());
}

void AccessUnit::begin(std::shared_ptr<const AccessProgram> program) {
  ++stats.launches;
  active = std::make_unique<Launch>(program);
  active->waitedForQueueBefore = stats.waitingForQueue;
  active->byId.resize(program->numValues());
  active->stores.resize(program->numValues());
  active->layers.resize(params.layers);
  active->turns.resize(params.layers);
  uint64_t each = storageOfOneElementEach(*program);
  std::vector<const AccessOp *> loops;
  for (const AccessOp &op : program->ops()) {
    if (op.kind == AccessOp::Loop)
      loops.push_back(&op);
    if (op.kind == AccessOp::End &&
        program->ops()[op.match].kind == AccessOp::Loop)
      loops.pop_back();
    if (op.kind == AccessOp::Store)
      active->stores[op.dst] = makeStore(op);
    if (op.kind != AccessOp::Mem)
      continue;
    active->streams.push_back(
        std::make_unique<Stream>(*program, op, active->streams.size()));
    Stream &stream = *active->streams.back();
    active->byId[op.dst] = &stream;
    stream.loop = loops.empty() ? nullptr : loops.back();
    stream.capacity = params.storageBytes() / each;
    stream.missing.resize(stream.capacity);
    // Sources come before what depends on them.
    for (int32_t id : program->sourcesOf(op.dst))
      stream.sources.push_back(active->byId[id]);
    stream.hostBase = reinterpret_cast<uint64_t>(op.base);
    if (auto place = addresses.find(stream.hostBase)) {
      stream.simulatedBase = place->simulated;
      stream.argument = place->range;
    }
    unsigned depth = program->depth(op.dst);
    stream.layer = depth ? depth - 1 : 0;
    active->layers[stream.layer].push_back(&stream);
  }
}

void AccessUnit::finish() {
  Cycle storage = 0;
  for (const auto &stream : active->streams)
    // Streams outside all loops keep their one element to the end.
    if (stream->loop && stream->freed == stream->made)
      storage = std::max(storage, stream->heldCycles / stream->capacity);
  // While a queue is full the storage is too: that wait is the core's doing.
  Cycle queueFull = stats.waitingForQueue - active->waitedForQueueBefore;
  stats.storageBound += storage - std::min(storage, queueFull);
  active.reset();
  if (waiter)
    engine.wake(*waiter, engine.now());
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// True if anything moved.
bool AccessUnit::makeAddresses() {
  bool moved = false;
  unsigned requestsLeft = params.requestsPerCycle;
  for (unsigned layer = 0; layer < params.layers; ++layer) {
    std::vector<Stream *> &streams = active->layers[layer];
    unsigned count = streams.size();
    unsigned budget = params.addressesPerCycle;
    unsigned idle = 0; // streams in a row that could do nothing
    unsigned turn = active->turns[layer];
    while (budget && idle < count) {
      if (advance(*streams[turn], requestsLeft)) {
        --budget;
        idle = 0;
        moved = true;
      } else {
        ++idle;
      }
      turn = turn + 1 == count ? 0 : turn + 1;
    }
    active->turns[layer] = turn;
  }
  return moved;
}

/// Uses one address slot of the stream's layer; false if it cannot.
bool AccessUnit::advance(Stream &stream, unsigned &requestsLeft) {
  bool usedSlot = false;
  if (!stream.hasItem && !nextElement(stream, usedSlot))
    return usedSlot;
  if (!stream.begun) {
    if (stream.made - stream.freed >= stream.capacity ||
        !sourcesArrived(stream))
      return false;
    stream.begun = true;
    stream.address =
        stream.simulatedBase +
        (reinterpret_cast<uint64_t>(stream.item.address) - stream.hostBase);
    bool contiguous = stream.item.stride == stream.op->elemBytes;
    stream.left =
        uint64_t(stream.op->count) * (contiguous ? stream.op->elemBytes : 1);
    // The one more is taken back when the last address is made.
    stream.missing[stream.made % stream.capacity] = 1;
    ++stream.made;
    stream.heldCycles -= engine.now();
  }
  return makeAddress(stream, requestsLeft);
}

/// Walks to the stream's next element. An iteration without one takes a slot.
bool AccessUnit::nextElement(Stream &stream, bool &usedSlot) {
  while (!stream.ended) {
    stream.item = stream.walker.next();
    switch (stream.item.kind) {
    case AccessItem::Memory:
      stream.hasItem = true;
      stream.begun = false;
      return true;
    case AccessItem::Iteration:
      if (stream.quietIteration) {
        usedSlot = true;
        return false;
      }
      stream.quietIteration = true;
      break;
    case AccessItem::Done:
    case AccessItem::Fault: // the pushes report it when they come to it
      stream.ended = true;
      break;
    case AccessItem::Push:
    case AccessItem::Store:
      break;
    }
  }
  return false;
}

bool AccessUnit::sourcesArrived(const Stream &stream) const {
  for (const Stream *source : stream.sources) {
    uint64_t runs = stream.walker.runs(source->op->dst);
    if (runs && !source->arrived(runs - 1))
      return false;
  }
  return true;
}

bool AccessUnit::makeAddress(Stream &stream, unsigned &requestsLeft) {
  uint64_t line = stream.address >> lineShift;
  if (line == stream.lastLine || table.find(line) >= 0) {
    int32_t slot = table.find(line);
    if (slot >= 0)
      join(slot, stream);
    ++stats.coalesced;
  } else {
    if (!requestsLeft || freeSlots.empty())
      return false;
    --requestsLeft;
    request(stream, line);
  }
  stream.lastLine = line;
  ++stats.addresses;
  ++stats.layerAddresses[stream.layer];
  stream.quietIteration = false;

  if (stream.item.stride == stream.op->elemBytes) {
    uint64_t step = ((line + 1) << lineShift) - stream.address;
    stream.address += step;
    stream.left -= std::min(stream.left, step);
  } else {
    stream.address += stream.item.stride;
    --stream.left;
  }
  if (stream.left == 0) {
    --stream.missing[(stream.made - 1) % stream.capacity];
    stream.hasItem = false;
    ++stats.elements;
  }
  return true;
}

void AccessUnit::request(Stream &stream, uint64_t line) {
  unsigned slot = freeSlots.back();
  freeSlots.pop_back();
  slots[slot] = {line, engine.now(), -1};
  table.insert(line, slot);
  join(slot, stream);
  ++stats.requests;
  stats.peakOutstanding = std::max(stats.peakOutstanding, outstanding());
  LineRequest r;
  r.line = line;
  r.requester = this;
  r.kind = LineRead;
  r.tag = slot;
  r.argument = stream.argument;
  ports.memory->request(r);
}

/// The stream's newest element waits for the slot's line too.
void AccessUnit::join(int32_t slot, Stream &stream) {
  uint32_t place = (stream.made - 1) % stream.capacity;
  slots[slot].firstTarget =
      targets.take({stream.number, place, slots[slot].firstTarget});
  ++stream.missing[place];
}

void AccessUnit::receive(uint32_t kind, uint64_t index) {
  engine.wake(*this, engine.now());
  if (kind == LineWritten) {
    --writesUnderWay;
    return;
  }
  Slot &slot = slots[index];
  stats.slotCycles += engine.now() - slot.since;
  for (int32_t i = slot.firstTarget; i >= 0; i = targets.give(i)) {
    const Target &target = targets[i];
    // A fault may have ended the launch while its lines were under way.
    if (active)
      --active->streams[target.stream]->missing[target.place];
  }
  table.erase(slot.line);
  freeSlots.push_back(index);
}

//===----------------------------------------------------------------------===//
// Pushes
//===----------------------------------------------------------------------===//

/// Pushes and stores what can go out in this cycle; says what stopped it.
AccessUnit::State AccessUnit::pushAll(Cycle now) {
  Launch &launch = *active;
  for (;;) {
    if (!launch.hasItem) {
      launch.item = launch.pushes.next();
      launch.hasItem = true;
    }
    const AccessItem &item = launch.item;
    switch (item.kind) {
    case AccessItem::Memory: {
      int32_t id = item.op->dst;
      if (!launch.byId[id]->arrived(launch.pushes.runs(id) - 1))
        return State::Memory;
      break;
    }
    case AccessItem::Push: {
      State result = tryPush(item, now);
      if (result != State::Idle)
        return result;
      launch.quietIteration = false;
      break;
    }
    case AccessItem::Store: {
      State result = tryStore(item, now);
      if (result != State::Idle)
        return result;
      launch.quietIteration = false;
      break;
    }
    case AccessItem::Iteration:
      freeElements(item.op);
      if (launch.quietIteration) {
        launch.hasItem = false;
        return State::Writing;
      }
      launch.quietIteration = true;
      break;
    case AccessItem::Done:
      return finishStores();
    case AccessItem::Fault:
      theFault = launch.pushes.fault();
      for (TimedQueue *queue : ports.queues)
        queue->close(now + visibleLatency);
      waiting.clear();
      return State::Idle;
    }
    launch.hasItem = false;
  }
}

/// Idle when the element went out, else what it waits for.
AccessUnit::State AccessUnit::tryPush(const AccessItem &item, Cycle now) {
  TimedQueue &queue = *ports.queues[item.queue];
  uint64_t begin =
      ember_queue_place(queue.produced(), item.bytes, queue.capacity());
  if (!queue.hasSpace(begin + item.bytes)) {
    blockedQueue = item.queue;
    blockedBytes = item.bytes;
    return State::Queue;
  }
  if (!mayWrite(now))
    return State::Writing;
  Cycle written = write(item.bytes, now);
  queue.push(begin + item.bytes, written + visibleLatency);
  stats.bytesPushed += item.bytes;
  uint64_t first = queue.address(begin) >> lineShift;
  uint64_t last = (queue.address(begin) + item.bytes - 1) >> lineShift;
  for (uint64_t line = first; line <= last; ++line) {
    if (ports.l1d)
      ports.l1d->invalidate(line);
    if (ports.l2)
      ports.l2->install(line, ports.queueArguments[item.queue]);
  }
  return State::Idle;
}

/// Whether the output is free to take something in this cycle.
bool AccessUnit::mayWrite(Cycle now) const {
  return writtenUntil < (now + 1) * params.writeBytesPerCycle;
}

/// Takes `bytes` out; the cycle in which the last of them has gone.
Cycle AccessUnit::write(uint64_t bytes, Cycle now) {
  uint64_t rate = params.writeBytesPerCycle;
  writtenUntil = std::max(writtenUntil, now * rate) + bytes;
  return (writtenUntil + rate - 1) / rate;
}

/// The pushes are past an iteration: its elements are no longer needed.
void AccessUnit::freeElements(const AccessOp *loop) {
  for (const auto &stream : active->streams) {
    if (stream->loop != loop)
      continue;
    uint64_t past = active->pushes.runs(stream->op->dst);
    stream->heldCycles += (past - stream->freed) * engine.now();
    stream->freed = past;
  }
}

void AccessUnit::tick(Cycle now) {
  Cycle elapsed = now - stateSince;
  stateSince = now;
  switch (state) {
  case State::Idle:
    break;
  case State::Writing:
    stats.writing += elapsed;
    break;
  case State::Memory:
    stats.waitingForMemory += elapsed;
    break;
  case State::Queue:
    stats.waitingForQueue += elapsed;
    ports.queues[blockedQueue]->statistics().fullCycles += elapsed;
    break;
  }
  state = State::Idle;
  writesLeft = params.requestsPerCycle;

  if (!active) {
    if (waiting.empty())
      return;
    begin(std::move(waiting.front()));
    waiting.pop_front();
  }
  state = pushAll(now);
  if (state == State::Idle) {
    finish();
    if (!waiting.empty())
      engine.wake(*this, now + 1);
    return;
  }
  // Else an arrival or a freed queue wakes the unit.
  if (makeAddresses() || state == State::Writing)
    engine.wake(*this, now + 1);
}

std::string AccessUnit::describe() const {
  std::string text = unitName;
  if (active)
    text += ", kernel " + std::to_string(active->program->kernel());
  switch (state) {
  case State::Queue: {
    const TimedQueue &queue = *ports.queues[blockedQueue];
    return text + ": waits for room for " + std::to_string(blockedBytes) +
           " bytes in queue " + queue.name() + " (" +
           std::to_string(queue.produced() - queue.consumed()) + " of " +
           std::to_string(queue.capacity()) + " bytes used)";
  }
  case State::Memory:
    return text + ": waits for memory (" + std::to_string(outstanding()) +
           " lines under way)";
  case State::Writing:
    return text + ": pushes";
  case State::Idle:
    return text + ": starts";
  }
  return text;
}
