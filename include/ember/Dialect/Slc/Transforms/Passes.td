//===- Passes.td - Passes on the slc dialect ---------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SlcFormChunks : Pass<"slc-form-chunks", "::ember::slc::KernelOp"> {
  let summary = "Send rows whole instead of element by element";
  let description = [{
    An innermost loop of constant length that streams contiguous elements
    becomes one chunk for each stream, padded to whole vectors, and a callback
    that loops over them. Rows of which half the data queue cannot hold one
    are cut into pieces. Neighbouring callbacks are then joined.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def SlcVectorize : Pass<"slc-vectorize", "::ember::slc::KernelOp"> {
  let summary = "Stream and compute machine vectors";
  let description = [{
    Innermost loops of constant length, of the access side and in callbacks,
    whose iterations are independent and elementwise, advance by one vector of
    the target. What is left over is done once, under a constant mask. A loop
    that does not qualify stays scalar.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SlcAlignQueues : Pass<"slc-align-queues", "::ember::slc::KernelOp"> {
  let summary = "Keep scalars out of the data queue";
  let description = [{
    Chooses the queue of each callback operand: vectors and chunks use the data
    queue, so that it holds whole vectors only. Counters of loops whose bounds
    the core knows, and affine functions of these, are not sent: the core
    computes them. Other scalars use the scalar queue.
  }];
}

#endif // EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD
