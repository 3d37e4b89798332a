// RUN: ember-opt %s | FileCheck %s
// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func @segments
// CHECK: emb.segment_bag sqrtn ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi32>)
// CHECK-SAME: num_segments(%{{.*}} : i32) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @segments(%table: tensor<?x64xf32>, %indices: tensor<?xi64>,
                    %ids: tensor<?xi32>, %count: tensor<i32>)
    -> tensor<?x64xf32> {
  %n = tensor.extract %count[] : tensor<i32>
  %size = arith.index_cast %n : i32 to index
  %out = tensor.empty(%size) : tensor<?x64xf32>
  %result = emb.segment_bag sqrtn
      ins(%table, %indices, %ids
          : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi32>)
      num_segments(%n : i32)
      outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %result : tensor<?x64xf32>
}

// CHECK-LABEL: func @weighted
// CHECK: emb.segment_bag mean ins({{.*}}) weights(%{{.*}} : memref<?xf16>)
// CHECK-SAME: outs(%{{.*}} : memref<?x64xf16>) {oob = #emb.oob<skip_negative>}
func.func @weighted(%table: memref<?x64xf16>, %indices: memref<?xi32>,
                    %ids: memref<?xi64>, %weights: memref<?xf16>,
                    %out: memref<?x64xf16>) {
  emb.segment_bag mean
      ins(%table, %indices, %ids
          : memref<?x64xf16>, memref<?xi32>, memref<?xi64>)
      weights(%weights : memref<?xf16>)
      outs(%out : memref<?x64xf16>) {oob = #emb.oob<skip_negative>}
  return
}

// CHECK-LABEL: func @everything
// CHECK: emb.segment_bag sum {{.*}} weights({{.*}}) num_segments(%{{.*}} : index) outs
func.func @everything(%table: tensor<5x0xf64>, %indices: tensor<4xindex>,
                      %ids: tensor<4xindex>, %weights: tensor<4xf64>,
                      %n: index, %out: tensor<2x0xf64>) -> tensor<2x0xf64> {
  %result = emb.segment_bag sum
      ins(%table, %indices, %ids
          : tensor<5x0xf64>, tensor<4xindex>, tensor<4xindex>)
      weights(%weights : tensor<4xf64>) num_segments(%n : index)
      outs(%out : tensor<2x0xf64>) -> tensor<2x0xf64>
  return %result : tensor<2x0xf64>
}
