//===- Machine.h - What a machine is made of --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Every parameter of a machine, as read from its JSON file. The shipped
// machines are in lib/Simulator/machines, each value with its source; the
// fields, their units and their limits are listed once, in Machine.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_MACHINE_H
#define EMBER_SIMULATOR_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ember::sim {

/// Pipes of each class: µops of the class that can start in one cycle.
struct CorePorts {
  unsigned alu = 0;
  unsigned multiply = 0;
  unsigned branch = 0;
  unsigned load = 0;
  unsigned store = 0;
  unsigned vector = 0;
};

struct BranchPredictorParams {
  /// Cycles from a mispredicted branch's completion to the first dispatch.
  unsigned mispredictPenalty = 0;
  unsigned historyBits = 0;
  /// Counters of a table, a power of two.
  unsigned tableEntries = 0;
};

struct PrefetcherParams {
  bool enabled = false;
  /// Instructions tracked, a power of two.
  unsigned tableEntries = 0;
  /// Strides fetched ahead, at most.
  unsigned distance = 0;
  /// Lines asked for by one trigger.
  unsigned degree = 0;
};

struct CoreParams {
  unsigned dispatchWidth = 0;
  unsigned retireWidth = 0;
  unsigned rob = 0;
  unsigned issueQueue = 0;
  unsigned loadQueue = 0;
  unsigned storeQueue = 0;
  CorePorts ports;
  /// Cycles from a load's issue to its look-up in the L1D.
  unsigned addressLatency = 0;
  unsigned vectorBits = 0;
  unsigned vectorRegisters = 0;
  BranchPredictorParams branch;
  PrefetcherParams prefetcher;
  /// For the code generator.
  std::string triple, cpu, features;
};

struct CacheParams {
  uint64_t sizeBytes = 0;
  unsigned ways = 0;
  unsigned tagLatency = 0;
  unsigned dataLatency = 0;
  unsigned mshr = 0;
  /// Look-ups a cycle.
  unsigned ports = 0;
};

struct CachesParams {
  CacheParams l1d, l2, llc;
};

struct QueuesParams {
  /// Ring sizes, powers of two.
  uint64_t dataBytes = 0, scalarBytes = 0, tokenBytes = 0;
  /// Cycles from the end of a write to its being visible to the other side;
  /// also for the consumed count on its way back.
  unsigned visibleLatency = 0;
};

struct AccessUnitParams {
  unsigned lanes = 0;
  unsigned layers = 0;
  uint64_t storageBytesPerLane = 0;
  unsigned outstandingLines = 0;
  /// Addresses a layer makes a cycle.
  unsigned addressesPerCycle = 0;
  /// Line requests the unit's port takes a cycle.
  unsigned requestsPerCycle = 0;
  /// Bytes a cycle into the queues.
  unsigned writeBytesPerCycle = 0;
  unsigned cyclesPerRegisterWrite = 0;
  /// Extras over the published unit.
  bool siblingLoops = false, predicate = false, store = false,
       boundsFault = false;

  uint64_t storageBytes() const { return lanes * storageBytesPerLane; }
};

/// One speed grade of a DRAM standard: organisation and timings. The table of
/// those known is in DramStandards.cpp. Times are in memory clocks unless
/// named otherwise.
struct DramStandard {
  std::string name;
  std::string source;
  // Organisation of one channel (HBM: one pseudo-channel).
  unsigned busBits = 0;
  unsigned bankGroups = 0;
  unsigned banksPerGroup = 0;
  unsigned rowBytes = 0;
  /// Channels that share command buses (2 on HBM: pseudo-channels).
  unsigned channelsPerCommandBus = 0;
  /// Row and column commands have a bus each (HBM).
  bool splitCommandBus = false;
  /// Clocks each command takes on its bus.
  unsigned actCommand = 1, preCommand = 1, columnCommand = 1;
  // Timings.
  unsigned tCKps = 0;
  unsigned nBL = 0;
  unsigned nCL = 0, nCWL = 0, nRCDRD = 0, nRCDWR = 0, nRP = 0, nRAS = 0,
           nRC = 0;
  unsigned nCCDS = 0, nCCDL = 0, nRRDS = 0, nRRDL = 0, nFAW = 0;
  unsigned nWTRS = 0, nWTRL = 0, nRTP = 0, nWR = 0;
  unsigned nRFC = 0, nREFI = 0;

  unsigned banks() const { return bankGroups * banksPerGroup; }
  /// Bytes one column command moves.
  unsigned burstBytes() const { return nBL * 2 * busBits / 8; }
  /// Bytes a second, of one channel.
  double peakBytesPerSecond() const {
    return burstBytes() / (nBL * tCKps * 1e-12);
  }
};

/// The known standards, and one of them by name (null if unknown).
llvm::ArrayRef<DramStandard> dramStandards();
const DramStandard *findDramStandard(llvm::StringRef name);

struct MemoryParams {
  std::string standard;
  /// Independent channels (HBM: pseudo-channels).
  unsigned channels = 0;
  /// What the bits of the line address mean, lowest first: "ch", "bg", "ba",
  /// "co"; the row takes the rest.
  std::vector<std::string> mapping;
  /// Channel, group and bank bits are xored with row bits.
  bool hash = false;
  /// Requests of a channel the scheduler looks at.
  unsigned readQueue = 0, writeQueue = 0;
  /// Writes waiting at which a drain starts and ends.
  unsigned drainHigh = 0, drainLow = 0;
  /// Nanoseconds a request spends in the controller outside the queues: on
  /// the way in, and on the way back.
  unsigned frontendNs = 0, backendNs = 0;
  bool refresh = true;
  /// `standard`, looked up, with what "timings" in the file changes.
  DramStandard timings;
};

struct Machine {
  std::string name;
  std::string description;
  unsigned clockMHz = 0;
  unsigned cores = 0;
  CoreParams core;
  CachesParams caches;
  QueuesParams queues;
  /// Absent on coupled machines.
  std::optional<AccessUnitParams> accessUnit;
  MemoryParams memory;
  /// Key path to where its value comes from.
  std::vector<std::pair<std::string, std::string>> sources;

  /// Peak memory bandwidth.
  double peakBytesPerCycle() const {
    return memory.timings.peakBytesPerSecond() * memory.channels /
           (clockMHz * 1e6);
  }

  /// A shipped machine by name, or one from a JSON file if `nameOrPath` holds
  /// '/' or ends in ".json". Each override is "key.path=value". Errors name
  /// the key, what it holds and what is allowed.
  static llvm::Expected<Machine>
  load(llvm::StringRef nameOrPath, llvm::ArrayRef<std::string> overrides = {});

  /// From the text of a JSON file; `origin` names it in errors.
  static llvm::Expected<Machine>
  parse(llvm::StringRef json, llvm::StringRef origin,
        llvm::ArrayRef<std::string> overrides = {});

  /// All parameters, as a file that loads as the same machine.
  llvm::json::Value toJSON() const;

  /// Names of the shipped machines.
  static std::vector<std::string> shipped();
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_MACHINE_H
