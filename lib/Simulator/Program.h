//===- Program.h - A compiled program as static micro-ops -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the core model knows about the code it times: for each basic block its
// micro-ops, and for each edge between blocks the register renames that happen
// on it (phis, arguments, results). Every SSA value has fixed slots, one for
// each machine register it takes; slot 0 is "always ready" (constants).
//
// The program is immutable once built; the running code adds a trace of records
// of 64-bit words (see `Record`), which selects blocks and supplies addresses.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_PROGRAM_H
#define EMBER_LIB_SIMULATOR_PROGRAM_H

#include "MicroOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ember::sim {

/// How a micro-op uses memory, which is also what it takes from the trace.
enum class MemoryUse : uint8_t {
  None,
  Load,        ///< One word: the address.
  Store,       ///< One word: the address.
  Release,     ///< Two words: the address and the value stored.
  Prefetch,    ///< One word: the address, or 0 if it is nowhere.
  PrefetchL2,  ///< The same, into the L2 only.
  MaskedLoad,  ///< Two words: the address, and first | end << 32, the bytes
  MaskedStore, ///<   from it that are touched (equal: none).
  LaneLoad,    ///< One word: a lane's address, 0 if the lane is off.
  LaneStore,
};

constexpr bool isLoad(MemoryUse use) {
  return use == MemoryUse::Load || use == MemoryUse::MaskedLoad ||
         use == MemoryUse::LaneLoad;
}
constexpr bool isStore(MemoryUse use) {
  return use == MemoryUse::Store || use == MemoryUse::Release ||
         use == MemoryUse::MaskedStore || use == MemoryUse::LaneStore;
}

/// One micro-op, 32 bytes.
struct MicroOp {
  static constexpr unsigned kSources = 4;

  uint32_t source[kSources] = {}; ///< Slots; 0 for none.
  uint32_t destination = 0;       ///< A slot, 0 for none.
  uint16_t bytes = 0;             ///< Of memory, at most this many.
  uint16_t offset = 0; ///< From the address: parts of a vector after the first.
  OpClass opClass = OpClass::IntegerAlu;
  Pipe pipe = Pipe::Integer;
  uint8_t latency = 0;
  uint8_t interval = 1;
  MemoryUse memory = MemoryUse::None;
  /// Takes words from the trace; the parts of a wide vector share the first's.
  bool takesWords = false;
  uint8_t unused[2] = {};
};
static_assert(sizeof(MicroOp) == 32, "micro-ops are packed for speed");

/// A rename on an edge between blocks: reading `to` now means `from`.
struct Rename {
  uint32_t to, from;
};

struct Edge {
  uint32_t from; ///< The block before.
  uint32_t firstRename, numRenames;
};

enum class Terminator : uint8_t {
  Plain,       ///< Falls through, or jumps always, or calls, or returns.
  Conditional, ///< The last micro-op is a branch with two targets.
  Cold,        ///< As Conditional, one target only waits: always predicted.
  Indirect,    ///< The last micro-op is a branch with many targets.
};

/// Which part of a kernel's run a block belongs to.
enum class Phase : uint8_t { Host, Configure, Kernel };
inline constexpr unsigned kNumPhases = 3;

struct Block {
  uint32_t firstOp, numOps;
  uint32_t firstEdge, numEdges; ///< Edges into this block.
  uint32_t taken;               ///< Conditional: the block if the branch is.
  uint32_t routine;
  uint16_t words; ///< Of the trace, after the record's head.
  Terminator terminator;
  Phase phase;
};

struct Routine {
  std::string name;
  Phase phase;
};

/// A place in the code that accesses memory, for messages.
struct Site {
  uint32_t routine;
  uint32_t bytes;
  bool write;
  bool mayMiss; ///< A prefetch: an address outside of everything is no fault.
  std::string place; ///< What ends a message: see `describePlace`.
};

struct Program {
  std::vector<MicroOp> ops;
  std::vector<Block> blocks;
  std::vector<Edge> edges;
  std::vector<Rename> renames;
  std::vector<Routine> routines;
  std::vector<Site> sites;
  /// What to say of a division that the processor cannot do, by its number.
  std::vector<std::string> divisions;
  uint32_t numSlots = 1;
  /// The most words that code may write between two tests for a full buffer.
  uint32_t wordsBetweenTests = 0;
};

/// The head of a trace record. Blocks are followed by `Block::words` words, the
/// others by what is said here.
namespace record {
inline constexpr uint64_t kKindShift = 56;
enum Kind : uint64_t {
  BlockRecord = 0, ///< The low 32 bits: the block.
  Configure = 1,   ///< The low 32 bits: writes of the access unit's registers.
  Start = 2,       ///< The doorbell. The low 32 bits: which program.
  Join = 3,        ///< The program waits until the unit is done.
  Finished = 4,    ///< The program returned, or stopped at a fault.
  Fork = 5,        ///< Starts a core. The low 32 bits: its number.
  JoinCores = 6,   ///< The program waits until the cores it forked are done.
};
constexpr uint64_t make(Kind kind, uint64_t payload = 0) {
  return (uint64_t(kind) << kKindShift) | payload;
}
constexpr Kind kind(uint64_t word) { return Kind(word >> kKindShift); }
constexpr uint32_t payload(uint64_t word) { return uint32_t(word); }
} // namespace record

/// An address word of the trace: the simulated address, and above it the
/// number of the argument (AddressMap::ranges) it lies in.
inline constexpr unsigned kArgumentShift = 48;
inline constexpr uint64_t kAddressMask = (uint64_t(1) << kArgumentShift) - 1;

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_PROGRAM_H
