// ember-sim says what moved and what stayed, at the lines of the module.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 3x4 1
// RUN: %npy write %t/rows.npy i64 2 2 0
// RUN: ember-sim %s --remarks --arg table=%t/table.npy --arg rows=%t/rows.npy 2>&1 | FileCheck %s
// RUN: ember-sim %s --remarks --machine=core-hbm2 --arg table=%t/table.npy --arg rows=%t/rows.npy 2>&1 | FileCheck %s

// CHECK: remarks.mlir:[[@LINE+11]]:10: remark: this load moves to the access unit
// CHECK: remarks.mlir:[[@LINE+13]]:12: remark: this load moves to the access unit
// CHECK: remarks.mlir:[[@LINE+13]]:12: remark: this load stays on the core: the nest writes the buffer, by 'memref.store' at {{.*}}remarks.mlir:[[@LINE+15]]:7
func.func @sum(%table: memref<3x4xf32> {ember.name = "table"},
               %rows: memref<2xi64> {ember.name = "rows"}) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %out = memref.alloc() : memref<4xf32>
  scf.for %p = %c0 to %c2 step %c1 {
    %i = memref.load %rows[%p] : memref<2xi64>
    %row = arith.index_cast %i : i64 to index
    scf.for %d = %c0 to %c4 step %c1 {
      %x = memref.load %table[%row, %d] : memref<3x4xf32>
      %a = memref.load %out[%d] : memref<4xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %out[%d] : memref<4xf32>
    }
  }
  return %out : memref<4xf32>
}
