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

def SlcPromoteLocals : Pass<"slc-promote-locals", "::ember::slc::KernelOp"> {
  let summary = "Keep accumulators in registers";
  let description = [{
    Unrolls the loops of callbacks that go over places of a buffer, and lets the
    loops of the access side carry, as iter_args, the places that stay the same
    in all iterations, as many as the target has vector registers for. Then hands
    on within a block what one callback stores and another loads, erases stores
    that are overwritten, and locals that nobody reads.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"];
}

def SlcCountLoops : Pass<"slc-count-loops", "::ember::slc::KernelOp"> {
  let summary = "Tell the core trip counts instead of iterations";
  let description = [{
    Marks loops as `counted`: the core takes one count for the loop, or none if
    it knows the bounds, where it took a token for each iteration. Loops of
    which iterations may be left out, and loops of a step other than 1 between
    bounds that the core does not know, keep their tokens.
  }];
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
