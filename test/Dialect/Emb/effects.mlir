// RUN: ember-opt %s --canonicalize --cse | FileCheck %s

// On tensors an operation has no effects: what nobody uses goes away.
// CHECK-LABEL: func @tensor_unused
// CHECK-NOT: emb.lookup
func.func @tensor_unused(%table: tensor<?x4xf32>, %indices: tensor<3xi64>,
                         %out: tensor<3x4xf32>) {
  %0 = emb.lookup ins(%table, %indices : tensor<?x4xf32>, tensor<3xi64>)
      outs(%out : tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// On memrefs it writes its destination, so loads around it are not the same.
// CHECK-LABEL: func @memref_writes
// CHECK: memref.load
// CHECK: emb.lookup
// CHECK: memref.load
func.func @memref_writes(%table: memref<?x4xf32>, %indices: memref<3xi64>,
                         %out: memref<3x4xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %before = memref.load %out[%c0, %c0] : memref<3x4xf32>
  emb.lookup ins(%table, %indices : memref<?x4xf32>, memref<3xi64>)
      outs(%out : memref<3x4xf32>)
  %after = memref.load %out[%c0, %c0] : memref<3x4xf32>
  return %before, %after : f32, f32
}
