// RUN: ember-opt %s | FileCheck %s
// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// CHECK-LABEL: func @neighbours
// CHECK: emb.spmm max ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xi32>, tensor<?xi64>)
// CHECK-SAME: values(%{{.*}} : tensor<?xf32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @neighbours(%h: tensor<?x64xf32>, %columns: tensor<?xi32>,
                      %rowptr: tensor<?xi64>, %values: tensor<?xf32>,
                      %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %result = emb.spmm max
      ins(%h, %columns, %rowptr
          : tensor<?x64xf32>, tensor<?xi32>, tensor<?xi64>)
      values(%values : tensor<?xf32>)
      outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %result : tensor<?x64xf32>
}

// CHECK-LABEL: func @without_values
// CHECK: emb.spmm sum ins({{.*}}) outs(%{{.*}} : memref<2x3xf64>)
// CHECK: emb.spmm min ins({{.*}}) outs(%{{.*}} : memref<2x3xf64>) {oob = #emb.oob<clamp>}
// CHECK: emb.spmm mean ins({{.*}}) outs(%{{.*}} : memref<2x3xf64>)
func.func @without_values(%h: memref<9x3xf64>, %columns: memref<?xindex>,
                          %rowptr: memref<3xindex>, %out: memref<2x3xf64>) {
  emb.spmm sum
      ins(%h, %columns, %rowptr
          : memref<9x3xf64>, memref<?xindex>, memref<3xindex>)
      outs(%out : memref<2x3xf64>)
  emb.spmm min
      ins(%h, %columns, %rowptr
          : memref<9x3xf64>, memref<?xindex>, memref<3xindex>)
      outs(%out : memref<2x3xf64>) {oob = #emb.oob<clamp>}
  emb.spmm mean
      ins(%h, %columns, %rowptr
          : memref<9x3xf64>, memref<?xindex>, memref<3xindex>)
      outs(%out : memref<2x3xf64>)
  return
}
