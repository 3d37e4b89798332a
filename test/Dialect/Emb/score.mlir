// RUN: ember-opt %s | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s
// RUN: ember-opt %s --ember-bufferize | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func @triples
// CHECK: emb.score transe ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xf32>, tensor<8xi64>)
// CHECK-SAME: heads(%{{.*}} : tensor<8xi32>) tails(%{{.*}} : tensor<8xi64>)
// CHECK-SAME: outs(%{{.*}} : tensor<8xf32>) {gamma = 1.200000e+01 : f64, p = 1 : i64} -> tensor<8xf32>
func.func @triples(%e: tensor<?x64xf32>, %r: tensor<?x64xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi32>, %tails: tensor<8xi64>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = emb.score transe ins(%e, %r, %ids : tensor<?x64xf32>, tensor<?x64xf32>, tensor<8xi64>) heads(%heads : tensor<8xi32>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) {p = 1 : i64, gamma = 12.0 : f64} -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @candidate_heads
// CHECK: emb.score rotate {{.*}} heads(%{{.*}} : memref<?x?xi64>) tails(%{{.*}} : memref<?xi64>)
func.func @candidate_heads(%e: memref<?x64xf32>, %r: memref<?x32xf32>, %ids: memref<?xi64>, %heads: memref<?x?xi64>, %tails: memref<?xi64>, %out: memref<?x?xf32>) {
  emb.score rotate ins(%e, %r, %ids : memref<?x64xf32>, memref<?x32xf32>, memref<?xi64>) heads(%heads : memref<?x?xi64>) tails(%tails : memref<?xi64>) outs(%out : memref<?x?xf32>)
  return
}

// CHECK-LABEL: func @all_tails
// CHECK: emb.score complex {{.*}} heads(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?x100xbf16>)
// BUFFER-LABEL: func @all_tails
// BUFFER-NOT: memref.copy
// BUFFER: emb.score complex
func.func @all_tails(%e: tensor<100x64xbf16>, %r: tensor<?x64xbf16>, %ids: tensor<?xi64>, %heads: tensor<?xi64>, %n: index) -> tensor<?x100xbf16> {
  %out = tensor.empty(%n) : tensor<?x100xbf16>
  %0 = emb.score complex ins(%e, %r, %ids : tensor<100x64xbf16>, tensor<?x64xbf16>, tensor<?xi64>) heads(%heads : tensor<?xi64>) outs(%out : tensor<?x100xbf16>) -> tensor<?x100xbf16>
  return %0 : tensor<?x100xbf16>
}
