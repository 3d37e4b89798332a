// Hand-written nests mean the same on every machine: a range that ends before
// it begins is empty, and a step that is not positive is an error, whoever runs
// the loop.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 4 1 2 4 8
// RUN: %npy write %t/bounds.npy i64 4 0 2 1 3
// RUN: %npy write %t/indices.npy i64 3 3 1 2
// RUN: %npy write %t/steps.npy i64 3 1 1 -2
// RUN: %npy write %t/zero.npy i64 3 0 1 1

// DEFINE: %{entry} =
// DEFINE: %{flags} =
// DEFINE: %{arg} =
// DEFINE: %{run} = ember-sim %s --entry=%{entry} %{flags} \
// DEFINE:   --arg table=%t/table.npy --arg indices=%t/indices.npy %{arg}

// REDEFINE: %{entry} = sums
// REDEFINE: %{arg} = --arg bounds=%t/bounds.npy --out result=%t/out.npy
// REDEFINE: %{flags} = --level=0
// RUN: %{run} && %npy show %t/out.npy | FileCheck %s --check-prefix=SUMS
// REDEFINE: %{flags} = --level=3
// RUN: %{run} && %npy show %t/out.npy | FileCheck %s --check-prefix=SUMS
// REDEFINE: %{flags} = --level=4
// RUN: %{run} && %npy show %t/out.npy | FileCheck %s --check-prefix=SUMS
// REDEFINE: %{flags} = --machine=core-hbm2
// RUN: %{run} && %npy show %t/out.npy | FileCheck %s --check-prefix=SUMS

// REDEFINE: %{entry} = strided
// REDEFINE: %{arg} = --arg steps=%t/zero.npy
// REDEFINE: %{flags} = --level=0
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=STRIDED
// REDEFINE: %{flags} = --level=3
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=STRIDED
// REDEFINE: %{flags} = --level=4
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=STRIDED
// REDEFINE: %{flags} = --machine=core-hbm2
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=STRIDED

// REDEFINE: %{entry} = powers
// REDEFINE: %{arg} = --arg steps=%t/steps.npy
// REDEFINE: %{flags} = --level=0
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=POWERS
// REDEFINE: %{flags} = --level=3
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=POWERS
// REDEFINE: %{flags} = --level=4
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=POWERS
// REDEFINE: %{flags} = --machine=core-hbm2
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=POWERS

// SUMS: <f4 3
// SUMS-NEXT: {{^}}10 0 6{{$}}
func.func @sums(%table: memref<?xf32> {ember.name = "table"},
                %indices: memref<?xi64> {ember.name = "indices"},
                %bounds: memref<?xi64> {ember.name = "bounds"})
    -> (memref<3xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %out = memref.alloc() : memref<3xf32>
  scf.for %b = %c0 to %c3 step %c1 {
    memref.store %zero, %out[%b] : memref<3xf32>
    %b1 = arith.addi %b, %c1 : index
    %low = memref.load %bounds[%b] : memref<?xi64>
    %high = memref.load %bounds[%b1] : memref<?xi64>
    %lo = arith.index_cast %low : i64 to index
    %hi = arith.index_cast %high : i64 to index
    scf.for %p = %lo to %hi step %c1 {
      %i = memref.load %indices[%p] : memref<?xi64>
      %row = arith.index_cast %i : i64 to index
      %x = memref.load %table[%row] : memref<?xf32>
      %a = memref.load %out[%b] : memref<3xf32>
      %sum = arith.addf %a, %x : f32
      memref.store %sum, %out[%b] : memref<3xf32>
    }
  }
  return %out : memref<3xf32>
}

// A loop that the access unit has.
// STRIDED: error: loop steps must be positive: the step of the loop 'rows' is 0 (function 'strided' at {{.*}}nests.mlir:[[#@LINE+10]]:3)
func.func @strided(%table: memref<?xf32> {ember.name = "table"},
                   %indices: memref<?xi64> {ember.name = "indices"},
                   %steps: memref<?xi64> {ember.name = "steps"})
    -> (memref<?xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %indices, %c0 : memref<?xi64>
  %out = memref.alloc(%n) : memref<?xf32>
  %s = memref.load %steps[%c0] : memref<?xi64>
  %step = arith.index_cast %s : i64 to index
  scf.for %p = %c0 to %n step %step {
    %i = memref.load %indices[%p] : memref<?xi64>
    %row = arith.index_cast %i : i64 to index
    %x = memref.load %table[%row] : memref<?xf32>
    memref.store %x, %out[%p] : memref<?xf32>
  } {ember.label = "rows"}
  return %out : memref<?xf32>
}

// A loop that stays with the core, whose step is looked up.
// POWERS: error: loop steps must be positive: the step of the loop is -2 (function 'powers' at {{.*}}nests.mlir:[[#@LINE+16]]:5)
func.func @powers(%table: memref<?xf32> {ember.name = "table"},
                  %indices: memref<?xi64> {ember.name = "indices"},
                  %steps: memref<?xi64> {ember.name = "steps"})
    -> (memref<?xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %indices, %c0 : memref<?xi64>
  %out = memref.alloc(%n) : memref<?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xi64>
    %row = arith.index_cast %i : i64 to index
    %x = memref.load %table[%row] : memref<?xf32>
    memref.store %x, %out[%p] : memref<?xf32>
    %s = memref.load %steps[%p] : memref<?xi64>
    %step = arith.index_cast %s : i64 to index
    scf.for %k = %c0 to %n step %step {
      %a = memref.load %out[%p] : memref<?xf32>
      %squared = arith.mulf %a, %a : f32
      memref.store %squared, %out[%p] : memref<?xf32>
    }
  }
  return %out : memref<?xf32>
}
