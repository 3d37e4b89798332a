//===- Coupled.h - Kernels as loops of one processor ------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// The parts of convert-slc-to-scf. Values of the kernel are mapped to values of
// the host function, where a stream is an ordinary value.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_SLCTOSCF_COUPLED_H
#define EMBER_LIB_CONVERSION_SLCTOSCF_COUPLED_H

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace ember {

/// The extents of the kernel's buffers, read once before its loops.
class Extents {
public:
  Extents(mlir::OpBuilder &builder, slc::KernelOp kernel, mlir::IRMapping &map);

  /// The extent of a dimension of a buffer of the kernel.
  mlir::Value get(mlir::Value memref, unsigned dimension) {
    return extents.lookup({memref, dimension});
  }

private:
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> extents;
};

/// The least and greatest value of an index, if constants bound it.
struct IndexRange {
  int64_t least, greatest;
};
std::optional<IndexRange> getConstantRange(mlir::Value index);

/// The buffer of a load or store stream, and where in it.
mlir::Value getMemRef(mlir::Operation *stream);
mlir::OperandRange getIndices(mlir::Operation *stream);

/// One dimension of a load or store, to be checked before it is done.
struct Access {
  mlir::Operation *stream; ///< slc.mem_, slc.buffer_ or slc.store_stream
  unsigned dimension;

  mlir::Value getMemRef() const { return ember::getMemRef(stream); }
  mlir::Value getIndex() const { return getIndices(stream)[dimension]; }
  /// Elements touched along the dimension.
  int64_t getCount() const;
};

/// The dimensions of `stream` whose index may be out of range, as far as
/// constants of the host code tell.
llvm::SmallVector<Access> getUncheckedAccesses(mlir::Operation *stream,
                                               mlir::IRMapping &map);

/// A condition that holds if `access` stays inside its buffer.
mlir::Value createCheck(mlir::OpBuilder &builder, Access access,
                        mlir::IRMapping &map, Extents &extents);

/// Reports that `access` is out of range, naming the data its index comes from.
void createFault(mlir::OpBuilder &builder, Access access, mlir::IRMapping &map,
                 Extents &extents);

/// Accesses that every iteration of `loop` makes, at its counter or at an index
/// that does not change, and that may be out of range: one check before the
/// loop serves all iterations.
llvm::SmallVector<Access> getLoopAccesses(slc::ForOp loop,
                                          mlir::IRMapping &map);

/// A condition that holds if `access`, one of those above, stays inside for the
/// whole loop.
mlir::Value createLoopCheck(mlir::OpBuilder &builder, slc::ForOp loop,
                            Access access, mlir::IRMapping &map,
                            Extents &extents);
/// Reports `access`, and the first counter at which it is out of range if it is
/// at the counter.
void createLoopFault(mlir::OpBuilder &builder, slc::ForOp loop, Access access,
                     mlir::IRMapping &map, Extents &extents);

/// Where a chunk lies in memory.
struct ChunkPlace {
  mlir::Value memref;
  llvm::SmallVector<mlir::Value> indices;
  int64_t length;
};

/// Element `index` of a chunk, zero past its length.
mlir::Value loadElement(mlir::OpBuilder &builder, mlir::Location loc,
                        const ChunkPlace &place, mlir::Value index);

/// Makes the users of `chunk`, memory of the queue, read the chunk where it
/// lies; elements past its length are zero. Fails, with a diagnostic, on users
/// other than loads.
mlir::LogicalResult readChunkInPlace(mlir::Value chunk,
                                     const ChunkPlace &place);

/// Rows to prefetch: for each index stream (a load at a loop's counter), the
/// loads whose place it decides.
class Prefetches {
public:
  Prefetches(slc::KernelOp kernel, int64_t distance);

  /// After the host's form of `stream` was created: prefetches what the element
  /// `distance` positions on will ask for.
  void create(mlir::OpBuilder &builder, slc::MemStreamOp stream,
              mlir::IRMapping &map, Extents &extents);

private:
  int64_t distance;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      loads;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_SLCTOSCF_COUPLED_H
