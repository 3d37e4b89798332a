//===- Dram.cpp - The memory controllers ----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Dram.h"

#include <algorithm>
#include <numeric>

using namespace ember::sim;

//===----------------------------------------------------------------------===//
// One channel
//===----------------------------------------------------------------------===//

class Dram::Controller {
public:
  Controller(Dram &dram, unsigned channel, CommandBus &bus)
      : dram(dram), params(dram.params), standard(dram.params.timings),
        banks(standard, bus), bus(bus), channel(channel),
        nextRefresh(params.refresh ? standard.nREFI : never) {}

  void add(const LineRequest &request, const DramPlace &place,
           MemoryClock arrival) {
    incoming.push_back({request, arrival, dram.engine.now(), place.row,
                        uint8_t(place.bank),
                        uint8_t(lineBytes / standard.burstBytes()), false});
    next = std::min(next, arrival);
  }

  /// Issues at most one command for each kind of bus, and sets `next`.
  void schedule(MemoryClock clock) { next = issueAt(clock); }

  /// The next clock at which anything can be done.
  MemoryClock next = never;

  bool empty() const {
    return incoming.empty() && reads.empty() && writes.empty();
  }

private:
  struct Entry {
    LineRequest request;
    MemoryClock arrival;
    Cycle since;
    uint32_t row;
    uint8_t bank;
    uint8_t bursts; ///< column commands still to issue
    bool activated; ///< its row had to be opened
  };

  MemoryClock issueAt(MemoryClock clock);
  void admit(MemoryClock clock);
  void refreshUnseen();
  MemoryClock scheduleRefresh(MemoryClock clock);
  void column(std::vector<Entry> &queue, size_t index, DramCommand command,
              MemoryClock clock);
  void issue(DramCommand command, unsigned bank, uint32_t row,
             MemoryClock clock);
  void record(DramCommand command, unsigned bank, uint32_t row,
              MemoryClock clock);
  void finish(const Entry &entry, DramCommand command, MemoryClock clock);

  DramChannelStatistics &stats() { return dram.channelStats[channel]; }

  Dram &dram;
  const MemoryParams &params;
  const DramStandard &standard;
  DramBanks banks;
  CommandBus &bus;
  unsigned channel;
  MemoryClock nextRefresh;
  bool draining = false;
  /// On their way through the front end, or waiting for room in a queue.
  std::deque<Entry> incoming;
  std::deque<Entry> waitingWrites;
  /// In order of arrival.
  std::vector<Entry> reads, writes;
};

// Moves what has arrived into the queues.
void Dram::Controller::admit(MemoryClock clock) {
  if (reads.empty() && writes.empty()) {
    // Nothing to do until now: the refreshes that fell due went unseen.
    while (nextRefresh < clock)
      refreshUnseen();
  }
  while (!waitingWrites.empty() && writes.size() < params.writeQueue) {
    writes.push_back(waitingWrites.front());
    waitingWrites.pop_front();
  }
  while (!incoming.empty() && incoming.front().arrival <= clock) {
    const Entry &entry = incoming.front();
    if (!entry.request.write) {
      if (reads.size() == params.readQueue)
        break;
      reads.push_back(entry);
    } else if (writes.size() < params.writeQueue) {
      writes.push_back(entry);
    } else {
      // Writes must not block the reads behind them.
      waitingWrites.push_back(entry);
    }
    incoming.pop_front();
  }
}

void Dram::Controller::refreshUnseen() {
  for (DramCommand command : {DramCommand::PrechargeAll, DramCommand::Refresh})
    if (command == DramCommand::Refresh || banks.anyOpen())
      record(command, 0, 0, banks.issueUnseen(command, nextRefresh));
  ++stats().refreshes;
  nextRefresh += standard.nREFI;
}

MemoryClock Dram::Controller::scheduleRefresh(MemoryClock clock) {
  DramCommand command =
      banks.anyOpen() ? DramCommand::PrechargeAll : DramCommand::Refresh;
  MemoryClock when = banks.earliest(command);
  if (when > clock)
    return when;
  issue(command, 0, 0, clock);
  if (command == DramCommand::Refresh) {
    ++stats().refreshes;
    nextRefresh += standard.nREFI;
  }
  return clock + 1;
}

MemoryClock Dram::Controller::issueAt(MemoryClock clock) {
  admit(clock);
  MemoryClock arrival = never;
  if (!incoming.empty() && incoming.front().arrival > clock)
    arrival = incoming.front().arrival;
  if (reads.empty() && writes.empty())
    return arrival;
  if (clock >= nextRefresh)
    return scheduleRefresh(clock);

  if (writes.size() >= params.drainHigh || !waitingWrites.empty())
    draining = true;
  else if (writes.size() <= params.drainLow)
    draining = false;
  bool writing = draining || reads.empty();
  std::vector<Entry> &queue = writing ? writes : reads;
  DramCommand columnCommand = writing ? DramCommand::Write : DramCommand::Read;

  // A row with hits waiting stays open.
  uint64_t banksWithHits = 0;
  for (const Entry &entry : queue)
    if (banks.openRow(entry.bank) == entry.row)
      banksWithHits |= uint64_t(1) << entry.bank;

  constexpr size_t none = ~size_t(0);
  size_t columnChoice = none, rowChoice = none;
  MemoryClock soonest = std::min(arrival, nextRefresh);
  // The oldest request of a bank decides its next row, and speaks for all
  // others that hit its open row.
  uint64_t rowsSeen = banksWithHits, hitsSeen = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    const Entry &entry = queue[i];
    uint64_t bit = uint64_t(1) << entry.bank;
    uint32_t open = banks.openRow(entry.bank);
    bool hit = open == entry.row;
    uint64_t &seen = hit ? hitsSeen : rowsSeen;
    size_t &choice = hit ? columnChoice : rowChoice;
    if (choice != none || seen & bit)
      continue;
    seen |= bit;
    DramCommand command = hit                         ? columnCommand
                          : open == DramBanks::closed ? DramCommand::Activate
                                                      : DramCommand::Precharge;
    MemoryClock when = banks.earliest(command, entry.bank);
    if (when <= clock)
      choice = i;
    else
      soonest = std::min(soonest, when);
  }

  if (rowChoice != none && (bus.split || columnChoice == none)) {
    Entry &entry = queue[rowChoice];
    if (banks.openRow(entry.bank) == DramBanks::closed) {
      issue(DramCommand::Activate, entry.bank, entry.row, clock);
      entry.activated = true;
      ++stats().activates;
    } else {
      issue(DramCommand::Precharge, entry.bank, 0, clock);
      ++stats().precharges;
    }
  }
  if (columnChoice != none)
    column(queue, columnChoice, columnCommand, clock);
  return rowChoice != none || columnChoice != none ? clock + 1 : soonest;
}

void Dram::Controller::column(std::vector<Entry> &queue, size_t index,
                              DramCommand command, MemoryClock clock) {
  Entry &entry = queue[index];
  issue(command, entry.bank, entry.row, clock);
  stats().busClocks += standard.nBL;
  if (--entry.bursts)
    return;
  finish(entry, command, clock);
  queue.erase(queue.begin() + index);
}

void Dram::Controller::finish(const Entry &entry, DramCommand command,
                              MemoryClock clock) {
  if (!entry.activated)
    ++stats().rowHits;
  if (command == DramCommand::Write) {
    ++stats().writes;
    return;
  }
  ++stats().reads;
  Cycle done = dram.toCycle(clock + standard.nCL + standard.nBL) + dram.backend;
  stats().readCycles += done - entry.since;
  if (entry.request.requester)
    dram.engine.send(*entry.request.requester, done, entry.request.kind,
                     entry.request.tag);
}

void Dram::Controller::issue(DramCommand command, unsigned bank, uint32_t row,
                             MemoryClock clock) {
  banks.issue(command, bank, row, clock);
  record(command, bank, row, clock);
}

void Dram::Controller::record(DramCommand command, unsigned bank, uint32_t row,
                              MemoryClock clock) {
  if (dram.log)
    dram.log->push_back({clock, command, uint8_t(channel), uint8_t(bank), row});
}

//===----------------------------------------------------------------------===//
// All channels
//===----------------------------------------------------------------------===//

Dram::Dram(Engine &engine, const Machine &machine)
    : engine(engine), params(machine.memory), mapping(machine.memory),
      channelStats(machine.memory.channels) {
  // A memory clock is tCK ps = tCK * MHz / 10^6 core cycles.
  uint64_t numerator = uint64_t(params.timings.tCKps) * machine.clockMHz;
  uint64_t divisor = std::gcd(numerator, uint64_t(1000000));
  cyclesNumerator = numerator / divisor;
  cyclesDenominator = 1000000 / divisor;
  auto cycles = [&](unsigned ns) {
    return (uint64_t(ns) * machine.clockMHz + 999) / 1000;
  };
  frontend = cycles(params.frontendNs);
  backend = cycles(params.backendNs);

  unsigned perBus =
      std::min(params.timings.channelsPerCommandBus, params.channels);
  groups.resize(params.channels / perBus);
  for (unsigned channel = 0; channel < params.channels; ++channel) {
    BusGroup &group = groups[channel / perBus];
    group.bus.split = params.timings.splitCommandBus;
    group.controllers.push_back(
        std::make_unique<Controller>(*this, channel, group.bus));
  }
  engine.add(*this);
}

Dram::~Dram() = default;

Cycle Dram::unloadedLatency() const {
  const DramStandard &s = params.timings;
  unsigned bursts = lineBytes / s.burstBytes();
  return frontend + toCycle(s.nRCDRD + (bursts - 1) * s.nCCDL + s.nCL + s.nBL) +
         backend;
}

void Dram::count(const LineRequest &request) {
  if (request.argument >= traffic.size())
    traffic.resize(request.argument + 1);
  DramTraffic &counted = traffic[request.argument];
  if (request.write) {
    ++counted.writes;
    return;
  }
  ++counted.reads;
  uint64_t word = request.line / 64, bit = uint64_t(1) << (request.line % 64);
  if (word >= touched.size())
    touched.resize(word + word / 2 + 1);
  counted.distinct += !(touched[word] & bit);
  touched[word] |= bit;
}

void Dram::request(const LineRequest &request) {
  count(request);
  DramPlace place = mapping.place(request.line);
  MemoryClock arrival = toClock(engine.now() + frontend);
  unsigned perBus = groups.front().controllers.size();
  BusGroup &group = groups[place.channel / perBus];
  group.controllers[place.channel % perBus]->add(request, place, arrival);
  if (arrival < group.next) {
    group.next = arrival;
    engine.wake(*this, toCycle(arrival));
  }
}

void Dram::schedule(BusGroup &group, MemoryClock clock) {
  // The channels of a bus take turns to be first.
  unsigned count = group.controllers.size();
  MemoryClock next = never;
  for (unsigned i = 0; i < count; ++i) {
    Controller &controller = *group.controllers[(group.turn + i) % count];
    if (controller.next <= clock)
      controller.schedule(clock);
    next = std::min(next, controller.next);
  }
  group.turn = (group.turn + 1) % count;
  group.next = next;
}

void Dram::tick(Cycle now) {
  MemoryClock last = now * cyclesDenominator / cyclesNumerator;
  MemoryClock next = never;
  for (BusGroup &group : groups) {
    // Several memory clocks fall into one cycle of a slow core.
    while (group.next <= last)
      schedule(group, group.next);
    next = std::min(next, group.next);
  }
  if (next != never)
    engine.wake(*this, toCycle(next));
}

std::string Dram::describe() const {
  unsigned busy = 0;
  for (const BusGroup &group : groups)
    for (const auto &controller : group.controllers)
      busy += !controller->empty();
  return "memory: " + std::to_string(busy) + " channels have requests";
}
