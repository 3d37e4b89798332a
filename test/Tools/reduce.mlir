// RUN: ember-reduce %s -reduction-tree='traversal-mode=0 test=%S/reduce.sh' 2>/dev/null | FileCheck %s
// RUN: ember-reduce %s -opt-reduction-pass='opt-pass=canonicalize test=%S/reduce.sh' | FileCheck %s --check-prefix=PASS

// What the failure does not need goes: other functions by the reduction tree,
// dead code by a pass.

// CHECK: module {
// CHECK-NEXT: func.func private @gather(
// CHECK-NOT: func.func

// PASS: func.func private @other(
// PASS: func.func private @gather(
// PASS-NOT: arith.mulf
func.func private @other(%table: tensor<8x4xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %out = tensor.empty() : tensor<2x4xf32>
  %rows = emb.lookup ins(%table, %i : tensor<8x4xf32>, tensor<2xi64>)
      outs(%out : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %rows : tensor<2x4xf32>
}

func.func private @gather(%t: memref<?xf32>, %i: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %q = memref.load %i[%p] : memref<?xindex>
    %x = memref.load %t[%q] : memref<?xf32>
    %dead = arith.mulf %x, %x : f32
    memref.store %x, %out[%p] : memref<?xf32>
  }
  return
}
