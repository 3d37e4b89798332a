//===- MicroOps.h - Costs of micro-operations -------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The kinds of micro-operation into which LLVM instructions are counted, and
// for each the pipe it issues to, its latency and how long it holds the pipe.
// The figures are data with their source (MicroOps.def).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_MICROOPS_H
#define EMBER_LIB_SIMULATOR_MICROOPS_H

#include <cstdint>

namespace ember::sim {

/// Where a micro-op issues. A machine says how many of each it has; the pipes
/// of the second line are members of the pool above them with more abilities.
enum class Pipe : uint8_t {
  Integer,      ///< Any integer pipe.
  Branch,       ///< Branch unit.
  Load,         ///< Load/store address pipe, reading.
  Store,        ///< Load/store address pipe, writing, with its data.
  Vector,       ///< Any FP/vector pipe.
  IntegerMulti, ///< The multi-cycle integer pipe(s).
  Vector0,      ///< The first FP/vector pipe (divide, convert).
  Vector1,      ///< The last FP/vector pipe (shift, reduce).
  None,         ///< Issues nowhere (configuration writes, fences).
};
inline constexpr unsigned kNumPipes = 9;

enum class OpClass : uint8_t {
#define EMBER_MICRO_OP(NAME, PIPE, LATENCY, INTERVAL, SOURCE) NAME,
#include "MicroOps.def"
};

struct OpClassInfo {
  const char *name;
  Pipe pipe;
  uint8_t latency;  ///< Cycles from issue until a user may issue.
  uint8_t interval; ///< Cycles for which the pipe takes nothing else.
  const char *source;
};

inline constexpr OpClassInfo kOpClasses[] = {
#define EMBER_MICRO_OP(NAME, PIPE, LATENCY, INTERVAL, SOURCE)                  \
  {#NAME, Pipe::PIPE, LATENCY, INTERVAL, SOURCE},
#include "MicroOps.def"
};
inline constexpr unsigned kNumOpClasses =
    sizeof(kOpClasses) / sizeof(kOpClasses[0]);

constexpr const OpClassInfo &info(OpClass opClass) {
  return kOpClasses[unsigned(opClass)];
}

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_MICROOPS_H
