//===- Core.h - The out-of-order core ---------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The core replays a trace (Program.h) through an out-of-order pipeline:
//
//     trace -> dispatch -> issue queue -> pipes -> complete -> retire
//               |  branch predictor        |  L1D, queues       |
//               +- reorder buffer, load and store queue         +- stores drain
//
// A micro-op dispatched in cycle t may issue from t + 1, and its users in the
// cycle in which it completes. Of a mispredicted branch only the lost time is
// modelled: nothing is dispatched until it completes and the penalty is over.
// Memory dependences are known (an ideal predictor): a load waits for the
// youngest older store that overlaps it and takes its data if that covers it.
// Stores drain to the L1D after they retire, one a cycle, with several in
// flight (the weak memory order of Arm); a release store drains alone.
//
// Not modelled: instruction fetch (no I-cache, no fetch groups), wrong-path
// accesses, register file ports, TLBs.
//
// Per cycle: complete, retire, drain, issue, dispatch. The core is ticked only
// in cycles in which something can happen.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_CORE_H
#define EMBER_LIB_SIMULATOR_CORE_H

#include "BranchPredictor.h"
#include "Program.h"
#include "ember/Simulator/Cache.h"
#include "ember/Simulator/Machine.h"
#include "ember/Simulator/Queue.h"

#include <array>
#include <string>
#include <vector>

namespace ember::sim {

/// Supplies the trace in pieces that end between records.
class TraceSource {
public:
  virtual ~TraceSource() = default;
  /// The next piece, which stays valid until the next call. Never empty: the
  /// last record is `record::Finished`.
  virtual llvm::ArrayRef<uint64_t> refill() = 0;
};

/// What a core asks of the parts around it.
class Surroundings {
public:
  virtual ~Surroundings() = default;
  /// Starts the core's access unit on a program.
  virtual void ring(uint32_t program) = 0;
  /// True when the unit runs no program. The core is woken when one ends.
  virtual bool unitIdle() const = 0;
  /// Starts another core.
  virtual void fork(uint32_t core) = 0;
  /// True when no other core runs. The core is woken when one ends.
  virtual bool othersIdle() const = 0;
  /// Told when the core has done all of its trace.
  virtual void ended() = 0;
};

/// A queue as the core sees it: its control block and ring in memory.
struct CoreQueue {
  TimedQueue *queue = nullptr;
  ArgumentId argument = 0;      ///< Of the control block and the ring.
  uint64_t consumedAddress = 0; ///< Simulated.
  uint64_t ringAddress = 0;     ///< Simulated.
};

/// Where the cycles went. Each cycle counts once.
enum class CycleCause : uint8_t {
  Retiring,   ///< At least one micro-op retired.
  Memory,     ///< The oldest micro-op waits for memory, or stores drain.
  QueueEmpty, ///< The oldest micro-op reads a queue that has no data yet, or
              ///< the access unit has to end.
  Branch,     ///< Nothing to do after a mispredicted branch.
  Issue,      ///< The oldest micro-op executes, or waits for a pipe.
  Configure,  ///< The access unit's registers are written.
  Idle,       ///< Nothing to do: other cores have, or access units.
};
inline constexpr unsigned kNumCauses = 7;
const char *name(CycleCause cause);

struct CoreStatistics {
  std::array<uint64_t, kNumCauses> causes = {};
  std::array<uint64_t, kNumPhases> phases = {};
  std::array<uint64_t, kNumOpClasses> ops = {};
  uint64_t retired = 0;
  uint64_t blocks = 0;
  uint64_t branches = 0, mispredicts = 0;
  uint64_t loads = 0, stores = 0, forwarded = 0;
  uint64_t queueLoads = 0, queueWaits = 0;
  uint64_t registerWrites = 0;
  uint64_t prefetches = 0, prefetchesDropped = 0;
};

class Core final : public Agent, public Receiver {
public:
  /// It does nothing until it is started. `name`: for reports.
  Core(std::string name, Engine &engine, const Machine &machine,
       const Program &program, TraceSource &trace, Surroundings &surroundings,
       Cache &l1d, Cache &l2);

  void addQueue(const CoreQueue &queue);

  /// Replays the trace from here on, up to its next end. Not while it runs.
  void start();

  void tick(Cycle now) override;
  bool finished() const override;
  std::string describe() const override;
  void receive(uint32_t kind, uint64_t payload) override;

  /// Counts the cycles up to `end`, the end of the run.
  void finish(Cycle end);
  const CoreStatistics &statistics() const { return stats; }

private:
  enum Message : uint32_t { LoadLine, StoreLine, QueueVisible, FarCompletion };

  enum class State : uint8_t {
    Waiting,   ///< For sources.
    Ready,     ///< For a pipe.
    Executing, ///< Completes at a known cycle.
    Address,   ///< A load on its way to the L1D.
    Memory,    ///< A load that missed.
    Queue,     ///< A load of bytes that are not visible yet.
    Done
  };

  /// Nodes of wait lists name an entry and one of its sources.
  static constexpr uint16_t kNoNode = 0xffff;
  static constexpr unsigned kNodeShift = 3;
  static constexpr uint32_t kNone = ~0u;

  /// A micro-op in flight.
  struct Entry {
    uint64_t address = 0;     ///< As in the trace.
    uint64_t position = 0;    ///< Queue loads: the bytes that must be visible.
    Cycle ready = 0;          ///< Loads: when all lines that hit are there.
    uint32_t op = 0;          ///< In Program::ops.
    uint32_t store = kNone;   ///< Of a store, or of the store a load waits for.
    uint16_t users = kNoNode; ///< First node of those that wait for this.
    /// Node i links this entry's source i into its producer's list.
    std::array<uint16_t, MicroOp::kSources + 1> next = {};
    uint16_t wheelNext = kNoNode;
    uint16_t bytes = 0;
    State state = State::Done;
    uint8_t waiting = 0;
    uint8_t lines = 0;
    Phase phase = Phase::Host;
    MemoryUse memory = MemoryUse::None;
    bool mispredicted = false;
    bool forwards = false;
    bool missed = false;
    int8_t queue = -1;
  };

  /// A store from dispatch until it is in the L1D.
  struct Store {
    uint64_t address = 0; ///< Simulated only.
    uint64_t value = 0;   ///< Release stores.
    uint32_t entry = 0;
    uint16_t argument = 0;
    uint16_t bytes = 0;
    uint16_t drainUsers = kNoNode; ///< Loads that wait for it to drain.
    uint8_t lines = 0;
    bool done = false; ///< Address and data are known.
    bool retired = false;
    bool drained = false;
    bool release = false;
    int8_t queue = -1;
    Cycle ready = 0;
    uint32_t op = 0;
  };

  //===-- Execution (CoreExecute.cpp) -------------------------------------===//

  void complete(Cycle now);
  void issue(Cycle now);
  unsigned issueFrom(Pipe pipe, unsigned budget, Cycle now) {
    return numReady[unsigned(pipe)] && budget ? issueOldest(pipe, budget, now)
                                              : 0;
  }
  unsigned issueOldest(Pipe pipe, unsigned budget, Cycle now);
  void start(uint32_t index, Cycle now);
  void lookUp(uint32_t index, Cycle now);
  void schedule(uint32_t index, Cycle when);
  void finishEntry(uint32_t index, Cycle now);
  void wakeUsers(uint16_t &list);
  void setReady(uint32_t index);
  LineRequest lineRequest(uint64_t line, uint32_t op, uint64_t argument) const;

  void drain(Cycle now);
  /// Stores that hit write the L1D in the order they are sent, so a release
  /// waits only for earlier ones that missed.
  bool mayDrain(const Store &store) const {
    return store.retired && (!store.release || storesMissing == 0);
  }
  void sendStore(uint32_t index, Cycle now);
  void endDrainAt(uint32_t index, Cycle when);
  void finishDrain(uint32_t index, Cycle now);

  //===-- Front end (CoreDispatch.cpp) ------------------------------------===//

  /// Returns the cycle in which there may be more to dispatch.
  Cycle dispatch(Cycle now);
  uint64_t peekWord();
  uint64_t takeWord();
  bool nextRecord(Cycle now);
  void enterBlock(uint32_t number);
  bool hasRoom(const MicroOp &op) const;
  void dispatchOp();
  void setAccess(Entry &entry, const MicroOp &op);
  void addStore(Entry &entry, uint32_t index, const MicroOp &op);
  void orderAfterStores(Entry &entry, uint32_t index);
  void dependOn(uint32_t index, unsigned node, uint16_t &list);
  void predictBranch(Entry &entry);

  //===-- The rest (Core.cpp) ---------------------------------------------===//

  unsigned retire();
  CycleCause cause(Cycle now) const;
  Phase phase() const;
  void account(Cycle now, unsigned numRetired);
  Cycle nextCompletion(Cycle now) const;

  std::string name;
  Engine &engine;
  const Program &program;
  TraceSource &trace;
  Surroundings &surroundings;
  Cache &l1d;
  Cache &l2; ///< takes software prefetches that ask for it
  std::vector<CoreQueue> queues;
  std::vector<uint64_t> consumedSeen; ///< Per queue, in trace order.
  std::vector<int8_t> queueOf;        ///< Argument to queue, -1 for none.
  BranchPredictor predictor;

  // Sizes.
  unsigned dispatchWidth, retireWidth, robSize, issueSize, loadSize, storeSize;
  unsigned addressLatency, mispredictPenalty, registerWriteCycles;
  unsigned forwardLatency;
  CorePorts ports;

  // Reorder buffer: a ring of which [head, tail) is in flight.
  std::vector<Entry> rob;
  uint32_t mask;
  uint64_t head = 0, tail = 0;
  unsigned issueUsed = 0, loadsUsed = 0;
  /// The last writer of each slot: its sequence number + 1, 0 for none.
  std::vector<uint64_t> writer;
  std::vector<uint64_t> renamed; ///< Scratch for the renames of an edge.

  // Store queue: a ring of which [storeHead, storeTail) is in use.
  std::vector<Store> stores;
  uint32_t storeMask;
  uint64_t storeHead = 0, storeTail = 0, storeSend = 0;
  /// Sent, and waiting for a line that is not in the L1D.
  unsigned storesMissing = 0;
  /// Stores in the queue by a hash of their lines, to skip most searches.
  std::array<uint8_t, 256> storeLines = {};

  // Ready micro-ops of each pipe, a bit for each entry.
  static constexpr unsigned kMaxWords = 16; // up to 1024 entries
  unsigned readyWords;
  std::array<std::array<uint64_t, kMaxWords>, kNumPipes> ready = {};
  std::array<uint16_t, kNumPipes> numReady = {};
  unsigned allReady = 0; ///< The sum of numReady.
  std::array<Cycle, 4> multiBusy = {};
  Cycle vector0Busy = 0;

  // Completions of the next cycles.
  static constexpr unsigned kWheel = 256;
  std::array<uint16_t, kWheel> wheel;
  std::array<uint64_t, kWheel / 64> wheelBits = {};
  unsigned inWheel = 0;
  /// Drains that end at a known cycle: a heap, soonest first.
  struct DrainEnd {
    Cycle when;
    uint32_t store;
    bool operator<(const DrainEnd &other) const {
      return when != other.when ? when > other.when : store > other.store;
    }
  };
  std::vector<DrainEnd> drainEnds;

  // Front end.
  const uint64_t *word = nullptr, *wordsEnd = nullptr;
  uint32_t block = kNone, previousBlock = kNone;
  uint32_t op = 0, opsEnd = 0;
  uint64_t address = 0, address2 = 0; ///< Words of the current access.
  bool traceEnded = true;
  bool running = false;          ///< Started, and not done with all of it.
  bool waitsToConfigure = false; ///< For what was dispatched before.
  bool waitsForUnit = false;     ///< To end its program.
  bool waitsForOthers = false;   ///< The cores it forked.
  bool storesFull = false;       ///< The next micro-op has no store entry.
  Cycle configureEnd = 0;
  bool mispredictPending = false;
  Cycle fetchFrom = 0;

  // Accounting.
  Cycle accounted = 0; ///< Cycles before this one are counted.
  CycleCause gapCause = CycleCause::Idle;
  Phase gapPhase = Phase::Host;
  CoreStatistics stats;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_CORE_H
