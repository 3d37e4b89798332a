//===- AccessUnit.h - The access unit in time -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each read of the program is a stream with its own traversal of the loops
// around it, its own part of the storage, and its own pace: it runs ahead of
// the pushes as far as its storage holds elements. The storage is divided in
// proportion to the sizes of the elements, so all streams can run the same
// number of elements ahead.
//
// In a cycle
//   - each layer (loop depth) makes `addresses_per_cycle` line addresses, its
//     streams taking turns; an address waits for the elements it is computed
//     from;
//   - an address in a line that is under way, or in its stream's last line,
//     joins it; else it takes one of the line slots and one of the port's
//     `requests_per_cycle`, outer layers first;
//   - pushes and stores go out in program order, at most
//     `write_bytes_per_cycle`: pushes into the core's L2, stores into an open
//     line, one for each store of the program. A line that is left goes to the
//     last-level cache, which need not fetch it if all of it is written. The
//     port has a channel for each direction: `requests_per_cycle` lines are
//     written beside those that are read, and `outstanding_lines` of them may
//     be unanswered.
// An iteration of a loop without an address, or without a push or store, takes
// a cycle. A program ends when its last line is written.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_ACCESSUNIT_H
#define EMBER_SIMULATOR_ACCESSUNIT_H

#include "ember/Runtime/AccessWalker.h"
#include "ember/Simulator/AddressMap.h"
#include "ember/Simulator/Cache.h"
#include "ember/Simulator/LineTable.h"
#include "ember/Simulator/LinkedPool.h"
#include "ember/Simulator/Queue.h"

#include <deque>
#include <memory>
#include <optional>

namespace ember::sim {

struct AccessUnitStatistics {
  uint64_t launches = 0;
  uint64_t elements = 0;                ///< read from memory
  uint64_t addresses = 0;               ///< line addresses made
  uint64_t requests = 0;                ///< lines asked for
  uint64_t coalesced = 0;               ///< addresses that joined a line
  std::vector<uint64_t> layerAddresses; ///< addresses by layer
  uint64_t bytesPushed = 0;
  uint64_t bytesStored = 0;
  uint64_t linesWritten = 0;
  uint64_t partialLines = 0; ///< of `linesWritten`: not written in full
  /// Line-cycles slots were held.
  uint64_t slotCycles = 0;
  unsigned peakOutstanding = 0;
  /// Cycles the storage alone would need: for the fullest stream of each
  /// program, elements x cycles held / elements it has room for.
  Cycle storageBound = 0;
  /// Cycles with a program, by what the pushes did.
  Cycle writing = 0, waitingForMemory = 0, waitingForQueue = 0;

  Cycle busy() const { return writing + waitingForMemory + waitingForQueue; }
};

class AccessUnit final : public Agent, public Receiver {
public:
  /// What the unit is wired to.
  struct Ports {
    MemoryLevel *memory; ///< the last-level cache
    Cache *l2;           ///< takes the pushes; may be null
    Cache *l1d;          ///< loses lines the unit writes; may be null
    TimedQueue *queues[EMBER_QUEUES];
    ArgumentId queueArguments[EMBER_QUEUES];
  };

  AccessUnit(Engine &engine, std::string name, const Machine &machine,
             const Ports &ports, const AddressMap &addresses);
  ~AccessUnit() override;

  /// Why the unit cannot run a program; empty if it can.
  std::string check(const rt::AccessProgram &program) const;

  /// The doorbell, in this cycle. Programs run one after the other. Must have
  /// passed check(). The arrays it reads must be in the address map.
  void start(std::shared_ptr<const rt::AccessProgram> program);

  void tick(Cycle now) override;
  bool finished() const override { return !active && waiting.empty(); }
  std::string describe() const override;
  void receive(uint32_t kind, uint64_t slot) override;

  /// The agent to wake when a program has ended.
  void setWaiter(Agent &agent) { waiter = &agent; }

  /// Set when a program faulted; the queues are closed then.
  const std::optional<rt::AccessFault> &fault() const { return theFault; }
  const AccessUnitStatistics &statistics() const { return stats; }
  unsigned outstanding() const { return slots.size() - freeSlots.size(); }

private:
  struct Stream;
  struct Store;
  struct Launch;
  enum Message : uint32_t { LineRead, LineWritten };
  enum class State { Idle, Writing, Memory, Queue };

  struct Slot {
    uint64_t line = 0;
    Cycle since = 0;
    int32_t firstTarget = -1;
  };
  /// An element that waits for a line.
  struct Target {
    uint32_t stream;
    uint32_t place; ///< in the stream's ring
    int32_t next;
  };

  void begin(std::shared_ptr<const rt::AccessProgram> program);
  void finish();
  bool makeAddresses();
  bool advance(Stream &stream, unsigned &requestsLeft);
  bool nextElement(Stream &stream, bool &usedSlot);
  bool sourcesArrived(const Stream &stream) const;
  bool makeAddress(Stream &stream, unsigned &requestsLeft);
  void request(Stream &stream, uint64_t line);
  void join(int32_t slot, Stream &stream);
  State pushAll(Cycle now);
  State tryPush(const rt::AccessItem &item, Cycle now);
  bool mayWrite(Cycle now) const;
  Cycle write(uint64_t bytes, Cycle now);
  std::unique_ptr<Store> makeStore(const rt::AccessOp &op) const;
  State tryStore(const rt::AccessItem &item, Cycle now);
  State writeLine(Store &store);
  State finishStores();
  void freeElements(const rt::AccessOp *loop);

  Engine &engine;
  std::string unitName;
  AccessUnitParams params;
  Cycle visibleLatency;
  Ports ports;
  const AddressMap &addresses;

  Agent *waiter = nullptr;
  std::deque<std::shared_ptr<const rt::AccessProgram>> waiting;
  std::unique_ptr<Launch> active;

  std::vector<Slot> slots;
  std::vector<uint32_t> freeSlots;
  LineTable table; ///< line to slot
  LinkedPool<Target> targets;
  unsigned writesLeft = 0; ///< in this cycle
  unsigned writesUnderWay = 0;

  /// The end of the last write, in bytes since cycle 0 at the port's rate.
  uint64_t writtenUntil = 0;
  State state = State::Idle;
  Cycle stateSince = 0;
  int blockedQueue = -1;
  uint64_t blockedBytes = 0;
  std::optional<rt::AccessFault> theFault;
  AccessUnitStatistics stats;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_ACCESSUNIT_H
