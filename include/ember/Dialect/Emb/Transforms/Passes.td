//===- Passes.td - Passes on the emb dialect ---------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_EMB_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmberBufferize : Pass<"ember-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turn tensors into memrefs, function boundaries included";
  let description = [{
    One-shot bufferization with the layouts that the launcher and the later
    passes expect at the boundary of a function:

    - A matrix of floats may be a view with any distance between its rows, and a
      vector may start anywhere: arguments become
      `memref<?xDxf32, strided<[?, 1], offset: ?>>` and
      `memref<?xT, strided<[1], offset: ?>>`. All other arguments are without
      gaps.
    - Arguments of public functions are never written: a tensor that would be
      updated in place is copied first.
    - Results of public functions are new buffers without gaps, one each, and
      overlap nothing. A function that returns an argument returns a copy.

    Nothing is deallocated: results belong to the caller, and the runtime's
    allocator takes back the temporaries of a call at its end.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // EMBER_DIALECT_EMB_TRANSFORMS_PASSES_TD
