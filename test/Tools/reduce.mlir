// RUN: ember-reduce %s -reduction-tree='traversal-mode=0 test=%S/reduce.sh' 2>/dev/null | FileCheck %s
// RUN: ember-reduce %s -opt-reduction-pass='opt-pass=canonicalize test=%S/reduce.sh' | FileCheck %s --check-prefix=PASS

// What the failure does not need goes: other functions by the reduction tree,
// dead code by a pass.

// CHECK: module {
// CHECK-NEXT: func.func @gather(
// CHECK-NOT: func.func

// PASS: func.func @other(
// PASS: func.func @gather(
// PASS-NOT: arith.mulf
func.func @other(%table: tensor<8x4xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %out = tensor.empty() : tensor<2x4xf32>
  %rows = emb.lookup ins(%table, %i : tensor<8x4xf32>, tensor<2xi64>)
      outs(%out : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %rows : tensor<2x4xf32>
}

func.func @gather(%t: memref<?xf32>, %i: memref<?xindex>, %out: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = memref.collapse_shape %out [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  scf.for %p = %c0 to %n step %c1 {
    %q = memref.load %i[%p] : memref<?xindex>
    %x = memref.load %t[%q] : memref<?xf32>
    %dead = arith.mulf %x, %x : f32
    memref.store %x, %out[%c0, %p] : memref<8x8xf32>
    memref.store %x, %view[%p] : memref<64xf32>
  }
  return
}
