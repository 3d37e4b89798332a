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

    ```mlir file=lookup.mlir
    func.func @lookup(%table: tensor<?x4xf32>, %rows: tensor<?xi64>, %n: index)
        -> tensor<?x4xf32> {
      %out = tensor.empty(%n) : tensor<?x4xf32>
      %result = emb.lookup ins(%table, %rows : tensor<?x4xf32>, tensor<?xi64>)
          outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %result : tensor<?x4xf32>
    }
    ```

    ```console
    $ ember-opt lookup.mlir --ember-bufferize
    module {
      func.func @lookup(%arg0: memref<?x4xf32, strided<[?, 1], offset: ?>>, %arg1: memref<?xi64, strided<[1], offset: ?>>, %arg2: index) -> memref<?x4xf32> {
        %alloc = memref.alloc(%arg2) {alignment = 64 : i64} : memref<?x4xf32>
        emb.lookup ins(%arg0, %arg1 : memref<?x4xf32, strided<[?, 1], offset: ?>>, memref<?xi64, strided<[1], offset: ?>>) outs(%alloc : memref<?x4xf32>)
        %cast = memref.cast %alloc : memref<?x4xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
        return %alloc : memref<?x4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // EMBER_DIALECT_EMB_TRANSFORMS_PASSES_TD
