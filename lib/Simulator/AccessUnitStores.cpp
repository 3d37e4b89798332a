//===- AccessUnitStores.cpp - The access unit writes to memory ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AccessUnitLaunch.h"

#include <algorithm>

using namespace ember::sim;
using ember::rt::AccessItem;
using ember::rt::AccessOp;

static constexpr uint64_t wholeLine = ~uint64_t(0);
static_assert(lineBytes == 64, "a line has a bit for each byte in a word");

std::unique_ptr<AccessUnit::Store>
AccessUnit::makeStore(const AccessOp &op) const {
  auto store = std::make_unique<Store>();
  store->hostBase = reinterpret_cast<uint64_t>(op.base);
  if (auto place = addresses.find(store->hostBase)) {
    store->simulatedBase = place->simulated;
    store->argument = place->range;
  }
  return store;
}

/// Idle when the element is in the open line, else what it waits for.
AccessUnit::State AccessUnit::tryStore(const AccessItem &item, Cycle now) {
  Launch &launch = *active;
  const AccessOp &op = *item.store;
  Store &store = *launch.stores[op.dst];
  bool adjacent = item.toStride == op.elemBytes;
  uint64_t run = uint64_t(adjacent ? op.count : 1) * op.elemBytes;
  if (launch.runsLeft == 0) {
    launch.runsLeft = adjacent ? 1 : op.count;
    launch.runAddress = store.simulatedBase +
                        (reinterpret_cast<uint64_t>(item.to) - store.hostBase);
    launch.runBytes = run;
  }
  while (launch.runsLeft) {
    if (!mayWrite(now))
      return State::Writing;
    uint64_t line = launch.runAddress >> lineShift;
    if (store.written && (store.line != line || store.written == wholeLine))
      if (State result = writeLine(store); result != State::Idle)
        return result;
    uint64_t offset = launch.runAddress % lineBytes;
    uint64_t bytes = std::min(launch.runBytes, lineBytes - offset);
    store.line = line;
    store.written |= wholeLine >> (lineBytes - bytes) << offset;
    write(bytes, now);
    stats.bytesStored += bytes;
    launch.runAddress += bytes;
    launch.runBytes -= bytes;
    if (launch.runBytes == 0) {
      --launch.runsLeft;
      launch.runAddress += item.toStride - run;
      launch.runBytes = run;
    }
  }
  return State::Idle;
}

/// Sends the open line; Idle if it went, else what it waits for.
AccessUnit::State AccessUnit::writeLine(Store &store) {
  if (!writesLeft)
    return State::Writing;
  if (writesUnderWay == params.outstandingLines)
    return State::Memory;
  --writesLeft;
  ++writesUnderWay;
  // A private cache that holds the line modified gives the bytes that are not
  // written, so it need not be fetched from below.
  bool whole = store.written == wholeLine;
  for (Cache *cache : {ports.l1d, ports.l2}) {
    if (!cache)
      continue;
    whole |= cache->containsDirty(store.line);
    cache->invalidate(store.line);
  }
  ++stats.linesWritten;
  stats.partialLines += store.written != wholeLine;
  LineRequest request;
  request.line = store.line;
  request.requester = this;
  request.kind = LineWritten;
  request.argument = store.argument;
  request.write = true;
  request.whole = whole;
  ports.memory->request(request);
  store.written = 0;
  return State::Idle;
}

/// Sends all open lines and waits for their answers; Idle when all are there.
AccessUnit::State AccessUnit::finishStores() {
  for (const auto &store : active->stores)
    if (store && store->written)
      if (State result = writeLine(*store); result != State::Idle)
        return result;
  return writesUnderWay ? State::Memory : State::Idle;
}
