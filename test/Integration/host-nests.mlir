// What the host runs: a nest that cannot be decoupled is remarked on, and an
// access outside of an argument, or a buffer of negative size, is an error that
// names function, argument and place.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 4 1 2 4 8
// RUN: %npy write %t/indices.npy i64 3 3 1 2
// RUN: %npy write %t/beyond.npy i64 3 3 1 4
// RUN: %npy write %t/sizes.npy i64 1 -1
// RUN: %npy write %t/none.npy i64 0 0

// DEFINE: %{entry} = total
// DEFINE: %{flags} =
// DEFINE: %{indices} = indices
// DEFINE: %{run} = ember-sim %s --entry=%{entry} %{flags} --arg indices=%t/%{indices}.npy

// REDEFINE: %{flags} = --arg table=%t/table.npy --out result=%t/out.npy
// RUN: %{run} --remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %npy show %t/out.npy | FileCheck %s --check-prefix=TOTAL
// REMARK: host-nests.mlir:[[#@LINE+18]]:8: remark: this lookup stays on the host: it carries values out of its outermost loop
// REMARK: cycles
// TOTAL: {{^}}14{{$}}
// REDEFINE: %{indices} = beyond
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: function 'total' reads 4 bytes at offset 16 of 'table', which has 16 bytes, at {{.*}}host-nests.mlir:[[#@LINE+16]]:10
// REDEFINE: %{flags} = --machine=core-hbm2 --arg table=%t/table.npy
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=CORE
// CORE: error: function 'total' reads 4 bytes at offset 16 of 'table', which has 16 bytes, at {{.*}}host-nests.mlir:[[#@LINE+13]]:10
func.func @total(%table: memref<?xf32> {ember.name = "table"},
                 %indices: memref<?xi64> {ember.name = "indices"})
    -> (memref<1xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %indices, %c0 : memref<?xi64>
  %out = memref.alloc() : memref<1xf32>
  // The sum is not in memory.
  %r = scf.for %p = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) {
    %i = memref.load %indices[%p] : memref<?xi64>
    %row = arith.index_cast %i : i64 to index
    %x = memref.load %table[%row] : memref<?xf32>
    %next = arith.addf %sum, %x : f32
    scf.yield %next : f32
  }
  memref.store %r, %out[%c0] : memref<1xf32>
  return %out : memref<1xf32>
}

// REDEFINE: %{entry} = sized
// REDEFINE: %{flags} =
// REDEFINE: %{indices} = sizes
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=SIZED
// SIZED: error: sizes must not be negative: dimension 1 of a buffer is to be -1 (function 'sized' at {{.*}}host-nests.mlir:[[#@LINE+7]]:10)
func.func @sized(%indices: memref<?xi64> {ember.name = "indices"})
    -> memref<4x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %i = memref.load %indices[%c0] : memref<?xi64>
  %n = arith.index_cast %i : i64 to index
  %out = memref.alloc(%n) : memref<4x?xf32>
  memref.store %zero, %out[%c0, %c0] : memref<4x?xf32>
  return %out : memref<4x?xf32>
}

// Offsets that are missing make the number of bags negative.
// REDEFINE: %{entry} = bag
// REDEFINE: %{flags} = --arg table=%t/table.npy --arg offsets=%t/none.npy
// REDEFINE: %{indices} = indices
// RUN: %npy write %t/table.npy f32 4x2 1
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=BAG
// BAG: error: sizes must not be negative: dimension 0 of a buffer is to be -1 (function 'bag' at {{.*}}host-nests.mlir:[[#@LINE+10]]:10)
func.func @bag(%table: tensor<?x2xf32> {ember.name = "table"},
               %indices: tensor<?xi64> {ember.name = "indices"},
               %offsets: tensor<?xi64> {ember.name = "offsets"})
    -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // All but the last offset begin a bag.
  %count = tensor.dim %offsets, %c0 : tensor<?xi64>
  %bags = arith.subi %count, %c1 : index
  %out = tensor.empty(%bags) : tensor<?x2xf32>
  %r = emb.bag sum ins(%table, %indices, %offsets : tensor<?x2xf32>, tensor<?xi64>, tensor<?xi64>)
      outs(%out : tensor<?x2xf32>) {include_last_offset} -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
