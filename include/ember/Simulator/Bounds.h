//===- Bounds.h - What no run of this machine can beat ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Lower bounds on the cycles of a run, from its own counts: the work of each
// part over that part's rate. The largest is what binds; a run far above all
// of them loses its time in waiting.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_BOUNDS_H
#define EMBER_SIMULATOR_BOUNDS_H

#include "ember/Simulator/AccessUnit.h"
#include "ember/Simulator/Dram.h"

namespace ember::sim {

/// What one core and the parts of its own did.
struct CoreWork {
  uint64_t all;    ///< µops retired
  uint64_t memory; ///< loads and stores among them
  const Cache &l1d;
  const AccessUnit *unit; ///< null if none
};

/// {"bandwidth": cycles, ..., "binding": name of the largest}:
///   bandwidth    distinct lines x 64 / peak bytes a cycle
///   llc_misses   MSHR-cycles of the last-level cache / MSHRs
///   l1d_misses   MSHR-cycles of the core's L1D / MSHRs
///   micro_ops    µops / dispatch width
///   memory_ops   loads and stores / address pipes
/// and with an access unit:
///   requests     requests x mean residency / line slots
///   storage      elements x mean residency / room, of the fullest stream, less
///                the cycles in which a full queue held everything up
///   addresses    addresses of the busiest layer / addresses a cycle
///   port         lines read, or written if more / requests a cycle
///   writes       bytes pushed and stored / bytes a cycle
/// Of several cores, those of the one with the most count.
llvm::json::Object describeBounds(const Machine &machine, const Dram &dram,
                                  const Cache &llc,
                                  llvm::ArrayRef<CoreWork> cores);

} // namespace ember::sim

#endif // EMBER_SIMULATOR_BOUNDS_H
