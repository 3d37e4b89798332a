// Hand-written nests: an index that was not loaded is named by its dimension,
// one that was computed from a loaded value by that value, and of several
// elements the first outside is the bad one.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 5x8 1
// RUN: %npy write %t/indices.npy i64 3 0 1 4

// DEFINE: %{entry} =
// DEFINE: %{flags} =
// DEFINE: %{run} = not ember-sim %s --entry=%{entry} %{flags} \
// DEFINE:   --arg table=%t/table.npy --arg indices=%t/indices.npy 2>&1
// REDEFINE: %{entry} = beyond_row
// REDEFINE: %{flags} = --level=0
// RUN: %{run} | FileCheck %s --check-prefix=ROW
// REDEFINE: %{flags} = --level=3
// RUN: %{run} | FileCheck %s --check-prefix=ROW
// REDEFINE: %{flags} = --machine=core-hbm2
// RUN: %{run} | FileCheck %s --check-prefix=ROW
// REDEFINE: %{entry} = computed
// REDEFINE: %{flags} = --level=0
// RUN: %{run} | FileCheck %s --check-prefix=COMPUTED
// REDEFINE: %{flags} = --level=3
// RUN: %{run} | FileCheck %s --check-prefix=COMPUTED
// REDEFINE: %{flags} = --machine=core-hbm2
// RUN: %{run} | FileCheck %s --check-prefix=COMPUTED

// ROW: error: index out of range: dimension 1 of argument 'table' is indexed with 8; allowed are 0 to 7
func.func @beyond_row(%table: memref<?x8xf32> {ember.name = "table"},
                      %indices: memref<?xi64> {ember.name = "indices"})
    -> memref<?x9xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %indices, %c0 : memref<?xi64>
  %out = memref.alloc(%n) : memref<?x9xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xi64>
    %row = arith.index_cast %i : i64 to index
    scf.for %d = %c0 to %c9 step %c1 {
      %x = memref.load %table[%row, %d] : memref<?x8xf32>
      memref.store %x, %out[%p, %d] : memref<?x9xf32>
    }
  }
  return %out : memref<?x9xf32>
}

// COMPUTED: error: index out of range: argument 'indices' holds 4 at position 2, and the index computed from it is outside; allowed are 0 to 4
func.func @computed(%table: memref<?x8xf32> {ember.name = "table"},
                    %indices: memref<?xi64> {ember.name = "indices"})
    -> memref<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %indices, %c0 : memref<?xi64>
  %out = memref.alloc(%n) : memref<?x8xf32>
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %indices[%p] : memref<?xi64>
    %cast = arith.index_cast %i : i64 to index
    %row = arith.addi %cast, %c1 : index
    scf.for %d = %c0 to %c8 step %c1 {
      %x = memref.load %table[%row, %d] : memref<?x8xf32>
      memref.store %x, %out[%p, %d] : memref<?x8xf32>
    }
  }
  return %out : memref<?x8xf32>
}
