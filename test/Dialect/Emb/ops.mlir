// RUN: ember-opt %s | FileCheck %s
// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func @bag
// CHECK: emb.bag mean ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi64>)
// CHECK-SAME: outs(%{{.*}} : tensor<?x64xf32>) {oob = #emb.oob<clamp>, padding_idx = 0 : i64} -> tensor<?x64xf32>
func.func @bag(%table: tensor<?x64xf32>, %indices: tensor<?xi64>,
               %offsets: tensor<?xi64>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %bags = tensor.dim %offsets, %c0 : tensor<?xi64>
  %out = tensor.empty(%bags) : tensor<?x64xf32>
  %result = emb.bag mean
      ins(%table, %indices, %offsets
          : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi64>)
      outs(%out : tensor<?x64xf32>)
      {padding_idx = 0 : i64, oob = #emb.oob<clamp>} -> tensor<?x64xf32>
  return %result : tensor<?x64xf32>
}

// CHECK-LABEL: func @weighted_bag
// CHECK: emb.bag sum ins({{.*}}) weights(%{{.*}} : memref<?xbf16>)
// CHECK-SAME: outs(%{{.*}} : memref<?x64xbf16>) {include_last_offset}
func.func @weighted_bag(%table: memref<?x64xbf16>, %indices: memref<?xi32>,
                        %offsets: memref<?xi64>, %weights: memref<?xbf16>,
                        %out: memref<?x64xbf16>) {
  emb.bag sum
      ins(%table, %indices, %offsets
          : memref<?x64xbf16>, memref<?xi32>, memref<?xi64>)
      weights(%weights : memref<?xbf16>)
      outs(%out : memref<?x64xbf16>) {include_last_offset}
  return
}

// The default policy is not printed.
// CHECK-LABEL: func @static_bag
// CHECK: emb.bag max {{.*}} outs(%{{.*}} : tensor<2x0xf64>) {include_last_offset, padding_idx = -5 : i64} -> tensor<2x0xf64>
func.func @static_bag(%table: tensor<5x0xf64>, %indices: tensor<4xindex>,
                      %offsets: tensor<3xindex>, %out: tensor<2x0xf64>)
    -> tensor<2x0xf64> {
  %result = emb.bag max
      ins(%table, %indices, %offsets
          : tensor<5x0xf64>, tensor<4xindex>, tensor<3xindex>)
      outs(%out : tensor<2x0xf64>)
      {include_last_offset, oob = #emb.oob<error>, padding_idx = -5 : i64}
      -> tensor<2x0xf64>
  // CHECK: emb.bag max {{.*}} outs(%{{.*}} : tensor<3x0xf64>) {oob = #emb.oob<skip_negative>}
  %out3 = tensor.empty() : tensor<3x0xf64>
  %other = emb.bag max
      ins(%table, %indices, %offsets
          : tensor<5x0xf64>, tensor<4xindex>, tensor<3xindex>)
      outs(%out3 : tensor<3x0xf64>) {oob = #emb.oob<skip_negative>}
      -> tensor<3x0xf64>
  return %result : tensor<2x0xf64>
}

// CHECK-LABEL: func @lookup
// CHECK: emb.lookup ins(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<8x?xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
func.func @lookup(%table: tensor<?x64xf32>, %indices: tensor<8x?xi32>)
    -> tensor<8x?x64xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %indices, %c1 : tensor<8x?xi32>
  %out = tensor.empty(%n) : tensor<8x?x64xf32>
  %result = emb.lookup
      ins(%table, %indices : tensor<?x64xf32>, tensor<8x?xi32>)
      outs(%out : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
  return %result : tensor<8x?x64xf32>
}

// CHECK-LABEL: func @lookup_one
// CHECK: emb.lookup ins(%{{.*}}, %{{.*}} : memref<9x4xf16>, memref<i64>)
// CHECK-SAME: outs(%{{.*}} : memref<4xf16>) {oob = #emb.oob<clamp>, padding_idx = 8 : i64}
func.func @lookup_one(%table: memref<9x4xf16>, %index: memref<i64>,
                      %out: memref<4xf16>) {
  emb.lookup ins(%table, %index : memref<9x4xf16>, memref<i64>)
      outs(%out : memref<4xf16>) {oob = #emb.oob<clamp>, padding_idx = 8 : i64}
  return
}
