//===- AccessUnitLaunch.h - A program that the access unit runs -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_ACCESSUNITLAUNCH_H
#define EMBER_LIB_SIMULATOR_ACCESSUNITLAUNCH_H

#include "ember/Simulator/AccessUnit.h"

namespace ember::sim {

/// One read of the program, on its own way through the loops around it.
struct AccessUnit::Stream {
  Stream(const rt::AccessProgram &whole, const rt::AccessOp &op,
         uint32_t number)
      : number(number), op(&op), program(whole.slice(op.dst)), walker(program) {
  }

  bool arrived(uint64_t element) const {
    return element < freed || (element < made && !missing[element % capacity]);
  }

  uint32_t number;
  unsigned layer = 0;
  const rt::AccessOp *op; ///< in the whole program
  rt::AccessProgram program;
  rt::AccessWalker walker;
  const rt::AccessOp *loop = nullptr; ///< innermost around it, if any
  std::vector<Stream *> sources;
  uint64_t hostBase = 0, simulatedBase = 0;
  ArgumentId argument = 0;

  uint64_t capacity = 0;
  /// By element modulo the capacity: lines still to arrive, or to be asked for.
  std::vector<uint32_t> missing;
  uint64_t made = 0;  ///< elements begun
  uint64_t freed = 0; ///< elements the pushes are past
  /// Cycles elements were held, summed: each counts from its beginning (taken
  /// off there, so the sum may pass below zero) to when it was freed.
  uint64_t heldCycles = 0;

  /// The element whose addresses are being made.
  rt::AccessItem item{rt::AccessItem::Done};
  bool hasItem = false;
  bool begun = false;   ///< it has its place in the ring
  uint64_t address = 0; ///< simulated, of what is to be asked for next
  uint64_t left = 0;    ///< bytes (contiguous) or elements (strided) from there

  bool ended = false;
  bool quietIteration = true; ///< no address since the iteration began
  uint64_t lastLine = ~uint64_t(0);
};

/// One store of the program. Its bytes are collected in one open line, which
/// goes out when it is left.
struct AccessUnit::Store {
  uint64_t hostBase = 0, simulatedBase = 0;
  ArgumentId argument = 0;
  uint64_t line = 0;
  uint64_t written = 0; ///< a bit for each byte of the line
};

struct AccessUnit::Launch {
  explicit Launch(std::shared_ptr<const rt::AccessProgram> program)
      : program(std::move(program)), pushes(*this->program) {}

  std::shared_ptr<const rt::AccessProgram> program;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<Stream *> byId; ///< null for ids that are not reads
  std::vector<std::unique_ptr<Store>> stores; ///< by id; null for others
  /// The streams of each layer, and whose turn it is.
  std::vector<std::vector<Stream *>> layers;
  std::vector<unsigned> turns;
  /// The walk that pushes, in program order.
  rt::AccessWalker pushes;
  rt::AccessItem item{rt::AccessItem::Done};
  bool hasItem = false;
  bool quietIteration = true; ///< no push since the iteration began
  /// Of the element being stored: runs of adjacent bytes still to write, and
  /// what is left of the first of them.
  int32_t runsLeft = 0;
  uint64_t runAddress = 0, runBytes = 0;
  /// Of the launches before.
  Cycle waitedForQueueBefore = 0;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_ACCESSUNITLAUNCH_H
