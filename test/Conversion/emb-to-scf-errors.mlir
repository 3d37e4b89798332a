// RUN: ember-opt %s --convert-emb-to-scf --split-input-file --verify-diagnostics

func.func @tensors(%table: tensor<?x4xf32>, %indices: tensor<8xi64>,
                   %out: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{'emb.lookup' op is on tensors, and only operations on memrefs become loops: run ember-bufferize first}}
  %0 = emb.lookup ins(%table, %indices : tensor<?x4xf32>, tensor<8xi64>)
      outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @indices_with_gaps(%table: memref<?x4xf32>,
                             %indices: memref<8x3xi64, strided<[?, 1]>>,
                             %out: memref<8x3x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op needs indices without gaps to loop over, but got 'memref<8x3xi64, strided<[?, 1]>>'}}
  emb.lookup
      ins(%table, %indices : memref<?x4xf32>, memref<8x3xi64, strided<[?, 1]>>)
      outs(%out : memref<8x3x4xf32>)
  return
}

// -----

func.func @out_with_gaps(%table: memref<?x4xf32>, %indices: memref<8x3xi64>,
                         %out: memref<8x3x4xf32, strided<[16, 4, 1]>>) {
  // expected-error@+1 {{'emb.lookup' op needs an out without gaps between rows to loop over, but got 'memref<8x3x4xf32, strided<[16, 4, 1]>>'}}
  emb.lookup ins(%table, %indices : memref<?x4xf32>, memref<8x3xi64>)
      outs(%out : memref<8x3x4xf32, strided<[16, 4, 1]>>)
  return
}
