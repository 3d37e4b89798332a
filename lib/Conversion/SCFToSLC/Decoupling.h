//===- Decoupling.h - Which side runs what in a loop nest -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_SCFTOSLC_DECOUPLING_H
#define EMBER_LIB_CONVERSION_SCFTOSLC_DECOUPLING_H

#include "Aliasing.h"
#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace ember {

/// The opcode with which the access unit runs `op`, if it can.
std::optional<slc::AluOpcode> getAluOpcode(mlir::Operation *op);

/// Decides, from use-def chains and the roles of buffers, which operations of
/// a loop nest the access side runs. The nest is not changed.
///
/// A value is *accessible* when the access unit can compute it: counters of
/// loops with accessible bounds, loads at accessible indices from buffers the
/// nest only reads, integer arithmetic on these, and values from outside.
/// Accessible loads move. Loops and conditionals around a load that moves
/// become structure of the kernel; everything else is code of the core.
class Decoupling {
public:
  enum class Outcome {
    Kernel, ///< The nest is a lookup and can be decoupled.
    Host,   ///< It stays where it is; a remark says why if it looks up.
    Error,  ///< An error was reported.
  };

  Decoupling(mlir::scf::ForOp nest, Aliasing &aliasing)
      : nest(nest), aliasing(aliasing) {}

  Outcome run();

  /// Says of each load of the nest, in remarks of category `decouple`, why it
  /// moves or stays. Only after `run`, and only if the nest is a kernel.
  void explainLoads() const;

  bool isAccessible(mlir::Value value) const;
  /// Whether the access side must compute `op`: a load that moves, or
  /// arithmetic that an address, bound or condition depends on.
  bool runsOnAccessSide(mlir::Operation *op) const {
    return moved.contains(op) || needed.contains(op);
  }
  /// Whether `op`, a loop or conditional, becomes structure of the kernel.
  bool isStructure(mlir::Operation *op) const { return structure.contains(op); }
  /// Allocations of the nest that become memory of the core.
  bool isLocal(mlir::Operation *op) const;
  /// Whether `condition` says no more than that positions are in range which a
  /// load that moves reads whenever `where` runs: the unit checks them.
  bool isCheckedByUnit(mlir::Value condition, mlir::Operation *where) const;

private:
  void collectMemory();
  void classify(mlir::Block &block);
  bool isAccessibleLoop(mlir::scf::ForOp loop) const;
  bool isMovableLoad(mlir::memref::LoadOp load) const;
  std::string whyItStays(mlir::memref::LoadOp load) const;
  void findConflict();
  void markStructure();
  void markNeeded(mlir::Value value);
  bool isLookup();
  bool dependsOnLoad(mlir::Value value);

  mlir::scf::ForOp nest;
  Aliasing &aliasing;
  /// Buffers the nest reads or writes by any means, each with the first
  /// operation that does.
  llvm::MapVector<mlir::Value, mlir::Operation *> read, written;
  /// The name under which the nest uses each buffer it writes.
  llvm::DenseMap<mlir::Value, mlir::Value> names;
  /// Why the nest cannot be decoupled, if it cannot.
  mlir::Operation *obstacle = nullptr;
  std::string obstacleReason;
  /// An access and a write that may meet although they name other buffers.
  std::pair<mlir::Operation *, mlir::Operation *> conflict = {};

  llvm::DenseSet<mlir::Value> accessible;
  llvm::DenseSet<mlir::Operation *> moved, needed, structure;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_SCFTOSLC_DECOUPLING_H
