// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func @tensors
// CHECK: emb.block_gather 4 ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<8x3xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<8x3x4x64xf32>) -> tensor<8x3x4x64xf32>
func.func @tensors(%table: tensor<?x64xf32>, %blocks: tensor<8x3xi32>)
    -> tensor<8x3x4x64xf32> {
  %out = tensor.empty() : tensor<8x3x4x64xf32>
  %result = emb.block_gather 4
      ins(%table, %blocks : tensor<?x64xf32>, tensor<8x3xi32>)
      outs(%out : tensor<8x3x4x64xf32>) -> tensor<8x3x4x64xf32>
  return %result : tensor<8x3x4x64xf32>
}

// CHECK-LABEL: func @memrefs
// CHECK: emb.block_gather 2 ins(%{{.*}}, %{{.*}} : memref<8x4xf16>, memref<index>)
// CHECK-SAME: outs(%{{.*}} : memref<2x4xf16>) {oob = #emb.oob<skip_negative>}
func.func @memrefs(%table: memref<8x4xf16>, %block: memref<index>,
                   %out: memref<2x4xf16>) {
  emb.block_gather 2 ins(%table, %block : memref<8x4xf16>, memref<index>)
      outs(%out : memref<2x4xf16>) {oob = #emb.oob<skip_negative>}
  return
}
