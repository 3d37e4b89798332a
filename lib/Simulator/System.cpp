//===- System.cpp - The parts of a machine, wired -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "System.h"

#include "ember/Simulator/Bounds.h"

#include "llvm/ADT/STLExtras.h"

using namespace ember;
using namespace ember::sim;

System::Complex::Complex(System &system, const std::string &number,
                         const Program &program, Execution &execution,
                         const AddressMap &map, const QueueRanges &queueRanges)
    : system(system), execution(execution),
      l2(system.engine, "l2" + number, system.machine.caches.l2, system.llc),
      l1d(system.engine, "l1d" + number, system.machine.caches.l1d, l2),
      core("core" + number, system.engine, system.machine, program, execution,
           *this, l1d, l2) {
  Engine &engine = system.engine;
  const Machine &machine = system.machine;
  engine.add(core);
  if (machine.core.prefetcher.enabled) {
    prefetcher.emplace(machine.core.prefetcher, l2);
    l2.setObserver(&*prefetcher);
  }
  system.llc.addSnooped(l1d);
  system.llc.addSnooped(l2);
  if (!machine.accessUnit)
    return;
  AccessUnit::Ports ports{&system.llc, &l2, &l1d, {}, {}};
  ProgramContext &context = execution.context();
  for (unsigned i = 0; i < EMBER_QUEUES; ++i) {
    uint64_t control = map.ranges()[queueRanges[i]].simulated;
    uint64_t ring = control + EMBER_QUEUE_RING_OFFSET;
    queues[i] = std::make_unique<TimedQueue>(engine, kQueueNames[i] + number,
                                             context.capacity(int(i)), ring);
    ports.queues[i] = queues[i].get();
    ports.queueArguments[i] = queueRanges[i];
    core.addQueue({queues[i].get(), queueRanges[i],
                   control + offsetof(ember_queue, consumed), ring});
  }
  unit.emplace(engine, "access unit" + number, machine, ports, map);
  engine.add(*unit);
  unit->setWaiter(core);
  context.setUnit(&*unit);
}

void System::Complex::ring(uint32_t program) {
  unit->start(execution.context().programs[program]);
}

void System::Complex::fork(uint32_t number) {
  system.complexes[number]->core.start();
}

bool System::Complex::othersIdle() const {
  return llvm::all_of(system.complexes, [this](const auto &other) {
    return other.get() == this || other->core.finished();
  });
}

/// The first core is the only one that waits for others.
void System::Complex::ended() {
  system.engine.wake(system.complexes[0]->core, system.engine.now());
}

System::System(const Machine &machine, const Program &program,
               llvm::ArrayRef<std::unique_ptr<Execution>> executions,
               const AddressMap &map, llvm::ArrayRef<QueueRanges> queueRanges)
    : machine(machine), dram(engine, machine),
      llc(engine, "llc", machine.caches.llc, dram) {
  for (auto [core, execution] : llvm::enumerate(executions)) {
    std::string number =
        executions.size() > 1 ? " " + std::to_string(core) : std::string();
    complexes.push_back(std::make_unique<Complex>(
        *this, number, program, *execution, map, queueRanges[core]));
  }
  engine.add(dram);
  complexes[0]->core.start();
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

using llvm::json::Array;
using llvm::json::Object;

static double ratio(double numerator, double denominator) {
  return denominator ? numerator / denominator : 0;
}

static Object traffic(const CacheTraffic &counts) {
  return Object{{"hits", counts.hits},
                {"misses", counts.misses},
                {"merged", counts.merged},
                {"prefetches", counts.prefetches},
                {"writebacks", counts.writebacks}};
}

static Object describe(const Cache &cache, Cycle cycles,
                       llvm::ArrayRef<std::string> names) {
  const CacheStatistics &stats = cache.statistics();
  Object arguments;
  for (size_t i = 0; i < stats.byArgument.size() && i < names.size(); ++i) {
    const CacheTraffic &counts = stats.byArgument[i];
    if (counts.hits || counts.misses || counts.merged || counts.prefetches)
      arguments[names[i]] = traffic(counts);
  }
  CacheTraffic total = stats.total();
  Object result = traffic(total);
  result["parked"] = stats.parked;
  result["mean_outstanding"] = ratio(stats.mshrCycles, cycles);
  result["mean_miss_cycles"] =
      ratio(stats.mshrCycles, total.misses + total.prefetches);
  result["arguments"] = std::move(arguments);
  return result;
}

static Object describe(const Dram &dram, const Machine &machine, Cycle cycles,
                       llvm::ArrayRef<std::string> names) {
  DramChannelStatistics sum;
  for (const DramChannelStatistics &channel : dram.channels()) {
    sum.reads += channel.reads;
    sum.writes += channel.writes;
    sum.activates += channel.activates;
    sum.precharges += channel.precharges;
    sum.refreshes += channel.refreshes;
    sum.rowHits += channel.rowHits;
    sum.readCycles += channel.readCycles;
  }
  Object arguments;
  for (size_t i = 0; i < dram.byArgument().size() && i < names.size(); ++i) {
    const DramTraffic &counts = dram.byArgument()[i];
    if (counts.reads || counts.writes)
      arguments[names[i]] =
          Object{{"reads", counts.reads}, {"writes", counts.writes}};
  }
  double bytes = double(sum.reads + sum.writes) * lineBytes;
  return Object{
      {"reads", sum.reads},
      {"writes", sum.writes},
      {"activates", sum.activates},
      {"precharges", sum.precharges},
      {"refreshes", sum.refreshes},
      {"row_hits", sum.rowHits},
      {"mean_read_cycles", ratio(sum.readCycles, sum.reads)},
      {"bytes_per_cycle", ratio(bytes, cycles)},
      {"peak_bytes_per_cycle", machine.peakBytesPerCycle()},
      {"arguments", std::move(arguments)},
  };
}

static Object describe(const CoreStatistics &stats) {
  Object stack, ops;
  for (unsigned i = 0; i < kNumCauses; ++i)
    stack[name(CycleCause(i))] = stats.causes[i];
  for (unsigned i = 0; i < kNumOpClasses; ++i)
    if (stats.ops[i])
      ops[kOpClasses[i].name] = stats.ops[i];
  return Object{{"cycle_stack", std::move(stack)},
                {"micro_ops", stats.retired},
                {"micro_ops_by_class", std::move(ops)},
                {"blocks", stats.blocks},
                {"branches", stats.branches},
                {"mispredicts", stats.mispredicts},
                {"loads", stats.loads},
                {"stores", stats.stores},
                {"forwarded_loads", stats.forwarded},
                {"queue_loads", stats.queueLoads},
                {"queue_waits", stats.queueWaits},
                {"register_writes", stats.registerWrites},
                {"software_prefetches", stats.prefetches},
                {"software_prefetches_dropped", stats.prefetchesDropped}};
}

static Object describe(const AccessUnitStatistics &stats, Cycle cycles) {
  return Object{
      {"launches", stats.launches},
      {"elements", stats.elements},
      {"addresses", stats.addresses},
      {"requests", stats.requests},
      {"coalesced", stats.coalesced},
      {"lines_written", stats.linesWritten},
      {"partial_lines_written", stats.partialLines},
      {"peak_outstanding", stats.peakOutstanding},
      {"mean_outstanding", ratio(stats.slotCycles, stats.busy())},
      {"mean_request_cycles", ratio(stats.slotCycles, stats.requests)},
      {"cycle_stack", Object{{"writing", stats.writing},
                             {"memory", stats.waitingForMemory},
                             {"queue_full", stats.waitingForQueue},
                             {"idle", cycles - stats.busy()}}}};
}

Object System::Complex::statistics(Cycle cycles,
                                   llvm::ArrayRef<std::string> names) const {
  Object coreObject = describe(core.statistics());
  if (prefetcher)
    coreObject["prefetches"] = prefetcher->issued();
  Object result{{"core", std::move(coreObject)},
                {"l1d", describe(l1d, cycles, names)},
                {"l2", describe(l2, cycles, names)}};
  if (!unit)
    return result;
  result["access_unit"] = describe(unit->statistics(), cycles);
  Object queueObjects;
  for (auto [queue, name] : llvm::zip_equal(queues, kQueueNames)) {
    const QueueStatistics &stats = queue->statistics();
    queueObjects[name] = Object{{"capacity", queue->capacity()},
                                {"pushes", stats.pushes},
                                {"bytes", stats.bytes},
                                {"peak_bytes", stats.peakBytes},
                                {"full_cycles", stats.fullCycles},
                                {"empty_waits", stats.emptyWaits}};
  }
  result["queues"] = std::move(queueObjects);
  return result;
}

Object System::statistics(Cycle cycles, llvm::ArrayRef<std::string> names) {
  llvm::SmallVector<CoreWork> work;
  for (const auto &complex : complexes) {
    complex->core.finish(cycles);
    const CoreStatistics &stats = complex->core.statistics();
    work.push_back({stats.retired, stats.loads + stats.stores, complex->l1d,
                    complex->unit ? &*complex->unit : nullptr});
  }
  const CoreStatistics &first = complexes[0]->core.statistics();
  auto phase = [&](Phase p) { return first.phases[unsigned(p)]; };
  Object result{
      {"schema", 1},
      {"machine", machine.name},
      {"cycles", cycles},
      {"seconds", double(cycles) / (machine.clockMHz * 1e6)},
      {"parts", Object{{"host", phase(Phase::Host)},
                       {"configure", phase(Phase::Configure)},
                       {"kernel", phase(Phase::Kernel)}}},
      {"llc", describe(llc, cycles, names)},
      {"memory", describe(dram, machine, cycles, names)},
      {"bounds", describeBounds(machine, dram, llc, work)},
  };
  Array cores;
  for (const auto &complex : complexes)
    cores.push_back(complex->statistics(cycles, names));
  if (cores.size() > 1)
    result["cores"] = std::move(cores);
  else
    for (auto &[key, value] : *cores.front().getAsObject())
      result[key] = std::move(value);
  return result;
}
