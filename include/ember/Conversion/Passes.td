//===- Passes.td - Conversions between Ember's dialects ----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_PASSES_TD
#define EMBER_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertEmbToSCF : Pass<"convert-emb-to-scf"> {
  let summary = "Lower emb operations on memrefs to loops";
  let description = [{
    Replaces each operation by its host part, which checks what the loops would
    not notice (sizes, padding, offsets), and by its scalar loop nest. The
    outermost `scf.for` of a nest carries `ember.kernel`, the name of the kernel
    it becomes, and `ember.parallel` if its iterations are independent. Bad data
    is reported by `dlc.fault`, and the nest then does not run; row indices are
    not checked, that is left to whatever reads the rows.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::ember::dlc::DlcDialect"];
}

def ConvertSCFToSLC : Pass<"convert-scf-to-slc", "::mlir::ModuleOp"> {
  let summary = "Decouple loop nests that look data up";
  let description = [{
    Outlines each outermost `scf.for` of a function that looks data up (a load, a
    loop bound or a condition depends on another load), or that is marked
    `ember.kernel`, into a `slc.kernel`, and launches it. What runs on the access
    side follows from use-def chains and from the role of each buffer, not from
    the shape of the nest: loads from buffers the nest only reads, at positions
    the access unit can compute. A nest that cannot be decoupled stays, with a
    remark; a buffer that may be the one written under another name is an error.
  }];
  let dependentDialects = ["::ember::slc::SlcDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertSLCToSCF : Pass<"convert-slc-to-scf", "::mlir::ModuleOp"> {
  let summary = "Lower slc kernels to loops of one processor";
  let description = [{
    For machines without access units: each kernel is put where it is launched.
    Indices that constants do not bound are checked where they are used; bad data
    is reported by `dlc.fault`, under the name of the buffer the index was read
    from, and what depends on it is skipped. Chunks are read where they lie.
    `prefetch-distance` is how many elements ahead of a loop over an index buffer
    the rows its entries name are prefetched; 0 prefetches nothing.
  }];
  let options = [Option<"prefetchDistance", "prefetch-distance", "int64_t", "0",
                        "Elements to look ahead; 0 for no prefetches">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::ember::dlc::DlcDialect"];
}

def ConvertSLCToDLC : Pass<"convert-slc-to-dlc", "::mlir::ModuleOp"> {
  let summary = "Give the access unit and the core an ordered tree each";
  let description = [{
    Each `slc.kernel` becomes a `dlc.kernel` whose queues are those of the
    module's `dlc.target`:

    - What a callback takes is pushed where the callback stands, in operand order;
      the callback becomes a `dlc.take`.
    - An outermost loop whose bounds both sides know is counted; every other loop
      sends a token an iteration. If everything an iteration does on the core
      stands under one `slc.if`, iterations that fail it send nothing.
    - Operands of the queue kind `core` are not sent: the core computes them again
      from counters it keeps.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::ember::dlc::DlcDialect"];
}

#endif // EMBER_CONVERSION_PASSES_TD
