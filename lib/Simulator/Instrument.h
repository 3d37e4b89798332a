//===- Instrument.h - Make LLVM code report what it does --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Between an optimised LLVM module and the core model stand three steps:
//
//   prepare     rewrite what cannot be timed as it is (memcpy, stack variables,
//               calls in the middle of a block)
//   buildProgram  count each block's micro-ops
//   instrument  add the code that writes the trace and checks addresses
//
// The host's code generator then only has to run the result; it has no say in
// what is charged.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_INSTRUMENT_H
#define EMBER_LIB_SIMULATOR_INSTRUMENT_H

#include "Program.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class BasicBlock;
class CallBase;
class Function;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace ember::sim {

/// Names that instrumented code and the runtime share.
namespace symbols {
/// Stands for the memory of all stack variables up to `instrument`, and from
/// then on the pointer to that of the running core.
inline constexpr llvm::StringLiteral kLocals = "ember.sim.locals";
inline constexpr llvm::StringLiteral kFrame = "ember.sim.frame";
/// Where the next record goes, and where it must not (two pointers).
inline constexpr llvm::StringLiteral kCursor = "ember.sim.cursor";
inline constexpr llvm::StringLiteral kLimit = "ember.sim.limit";
/// One `SiteWindow` per site, defined in the module.
inline constexpr llvm::StringLiteral kWindows = "ember.sim.windows";
inline constexpr llvm::StringLiteral kFlush = "ember_sim_flush";
inline constexpr llvm::StringLiteral kTranslate = "ember_sim_translate";
inline constexpr llvm::StringLiteral kMasked = "ember_sim_masked";
inline constexpr llvm::StringLiteral kLane = "ember_sim_lane";
inline constexpr llvm::StringLiteral kDivision = "ember_sim_division";
/// Calls the entry with arguments from an array of 64-bit words.
inline constexpr llvm::StringLiteral kEnter = "ember.sim.enter";
} // namespace symbols

/// The range in which a site's last access was. An access at host address `a`
/// is within it if a - low < span; its simulated address is then
/// a - low + simulated. Otherwise the runtime looks the range up.
struct SiteWindow {
  uint64_t low = 0, span = 0, simulated = 0;
};

/// How a call is treated.
enum class Callee {
  Intrinsic,  ///< An LLVM intrinsic: micro-ops, or nothing.
  Defined,    ///< A function of the module: its own blocks follow.
  Wait,       ///< ember_queue_wait: the time is the queue's, not micro-ops.
  Runtime,    ///< A runtime function that adds its own records, or none.
  Unsupported ///< Anything else.
};
Callee classify(const llvm::CallBase &call);

/// A variable of the module: memory that the program may access.
struct ProgramVariable {
  std::string name;
  uint64_t bytes;
  bool writable;
};

struct ProgramVariables {
  std::vector<ProgramVariable> global;
  uint64_t localBytes = 0; ///< All stack variables.
};

/// Rewrites the module: see above. Fails on code that has no timing: calls of
/// unknown functions, recursion, atomic read-modify-write, variable-size stack.
/// Its global variables can be looked up afterwards.
llvm::Expected<ProgramVariables> prepare(llvm::Module &module,
                                         unsigned vectorBits);

/// Of a masked access, the lanes from the first that are on, if that is known
/// and all others are off: then it is as good as a narrower access.
std::optional<unsigned> constantPrefix(const llvm::Value *mask);

/// ", at file:line:column" of the user's source or, if that is not known, the
/// instruction: ": %x = load float, ptr %p".
std::string describePlace(const llvm::Instruction &instruction);

/// The name of the user's function that `function` comes from.
llvm::StringRef userName(const llvm::Function &function);

/// The blocks and memory sites of a module in the order of their numbers.
struct Numbering {
  std::vector<llvm::BasicBlock *> blocks;
  std::vector<llvm::Instruction *> sites;
};

llvm::Expected<Program> buildProgram(llvm::Module &module, unsigned vectorBits,
                                     Numbering &numbering);

/// Adds the trace. `numbering` and `program` are those of `buildProgram`.
void instrument(llvm::Module &module, Program &program,
                const Numbering &numbering);

/// Adds `kEnter`, which calls `entry` with its parameters taken from an array
/// of 64-bit words and stores what it returns there after them.
llvm::Error addEntry(llvm::Module &module, llvm::StringRef entry);

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_INSTRUMENT_H
