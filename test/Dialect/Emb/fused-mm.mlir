// RUN: ember-opt %s | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s
// RUN: ember-opt %s --ember-bufferize | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func @identity
// CHECK: emb.fused_mm identity ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi32>)
// CHECK-SAME: outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @identity(%h: tensor<?x64xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi32>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi32>) outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// Rows of both ends from one table; `out` is not read, so it is not copied.

// CHECK-LABEL: func @dot
// CHECK: emb.fused_mm dot ins(%[[H:[a-z0-9]+]], {{.*}} rows(%[[H]] : tensor<3x64xbf16>)
// CHECK-SAME: outs(%{{.*}} : tensor<3x64xbf16>)
// BUFFER-LABEL: func @dot
// BUFFER-NOT: memref.copy
// BUFFER: emb.fused_mm dot ins(%[[H:[a-z0-9]+]], {{.*}} rows(%[[H]] : memref<3x64xbf16
func.func @dot(%h: tensor<3x64xbf16>, %columns: tensor<?xi64>, %rowptr: tensor<4xi64>) -> tensor<3x64xbf16> {
  %out = tensor.empty() : tensor<3x64xbf16>
  %0 = emb.fused_mm dot ins(%h, %columns, %rowptr : tensor<3x64xbf16>, tensor<?xi64>, tensor<4xi64>) rows(%h : tensor<3x64xbf16>) outs(%out : tensor<3x64xbf16>) -> tensor<3x64xbf16>
  return %0 : tensor<3x64xbf16>
}

// CHECK-LABEL: func @gat
// CHECK: emb.fused_mm gat {{.*}} scores(%{{.*}}, %{{.*}} : memref<?xf32>, memref<5xf32>)
// CHECK-SAME: outs(%{{.*}} : memref<?x8xf32>) {slope = 2.000000e-01 : f64, three_pass}
func.func @gat(%h: memref<5x8xf32>, %columns: memref<?xi64>, %rowptr: memref<?xi64>, %a: memref<?xf32>, %b: memref<5xf32>, %out: memref<?x8xf32>) {
  emb.fused_mm gat ins(%h, %columns, %rowptr : memref<5x8xf32>, memref<?xi64>, memref<?xi64>) scores(%a, %b : memref<?xf32>, memref<5xf32>) outs(%out : memref<?x8xf32>) {slope = 0.2 : f64, three_pass}
  return
}
