// RUN: ember-opt %s --slc-stream-copies --split-input-file | FileCheck %s

#target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">
module attributes {dlc.target = #target} {

// Rows of a table: nothing is left for the core.

// CHECK-LABEL: slc.kernel @lookup(
// CHECK-SAME: %[[T:.*]]: memref<?x100xf32>, %[[IDX:.*]]: memref<?xindex>, %[[OUT:.*]]: memref<?x100xf32>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: slc.for @rows %[[P:.*]] = {{.*}} parallel {
// CHECK-NEXT: %[[I:.*]] = slc.mem_stream %[[IDX]][%[[P]]]
// CHECK-NEXT: %[[R:.*]] = slc.buffer_stream %[[T]][%[[I]], %[[C0]] : index] length 100
// CHECK-NEXT: slc.store_stream %[[R]], %[[OUT]][%[[P]], %[[C0]] : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
// CHECK-NEXT: }
// CHECK-NEXT: slc.return
slc.kernel @lookup(%t: memref<?x100xf32>, %idx: memref<?xindex>, %out: memref<?x100xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  slc.for @rows %p = %c0 : index to %n : index step %c1 parallel {
    %at = slc.callback(%v = %p : index) -> (index) {
      slc.yield %v : index
    }
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %r = slc.buffer_stream %t[%i, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
    slc.callback(%row = %r : memref<112xf32, #slc.queue>) {
      scf.for %d = %c0 to %c100 step %c1 {
        %x = memref.load %row[%d] : memref<112xf32, #slc.queue>
        memref.store %x, %out[%at, %d] : memref<?x100xf32>
      }
    }
  }
  slc.return
}

// A row that is left out is filled with a constant; places that are computed
// are computed by the access unit.

// CHECK-LABEL: slc.kernel @blocks(
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[B:.*]] = slc.alu_stream mul %{{.*}}, %{{.*}} : (!slc.stream<index>, index)
// CHECK: slc.for @rows %[[J:.*]] =
// CHECK-NOT: slc.callback
// CHECK: slc.if %{{.*}} {
// CHECK: %[[AT:.*]] = slc.alu_stream add %{{.*}}, %[[J]]
// CHECK: slc.store_stream %{{.*}}, %{{.*}}[%[[AT]], %{{.*}} : index] : !slc.chunk<16xf32>
// CHECK: } else {
// CHECK: %[[AT:.*]] = slc.alu_stream add %{{.*}}, %[[J]]
// CHECK: slc.store_stream %[[ZERO]], %{{.*}}[%[[AT]], %{{.*}} : index] length 16 : f32
// CHECK-NOT: slc.callback
slc.kernel @blocks(%t: memref<?x16xf32>, %idx: memref<?xindex>, %out: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  slc.for @blocks %p = %c0 : index to %n : index step %c1 parallel {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %keep = slc.alu_stream sge %i, %c0 : (!slc.stream<index>, index) -> !slc.stream<i1>
    %b = slc.alu_stream mul %i, %c4 : (!slc.stream<index>, index) -> !slc.stream<index>
    slc.for @rows %j = %c0 : index to %c4 : index step %c1 {
      %bj = slc.alu_stream add %b, %j : (!slc.stream<index>, !slc.stream<index>) -> !slc.stream<index>
      slc.if %keep {
        %r = slc.buffer_stream %t[%bj, %c0 : index] length 16 : memref<?x16xf32> -> !slc.chunk<16xf32>
        slc.callback(%row = %r : memref<16xf32, #slc.queue>, %pv = %p : index, %jv = %j : index) {
          %first = arith.muli %pv, %c4 : index
          %at = arith.addi %first, %jv : index
          scf.for %d = %c0 to %c16 step %c1 {
            %x = memref.load %row[%d] : memref<16xf32, #slc.queue>
            memref.store %x, %out[%at, %d] : memref<?x16xf32>
          }
        }
      } else {
        slc.callback(%pv = %p : index, %jv = %j : index) {
          %first = arith.muli %pv, %c4 : index
          %at = arith.addi %first, %jv : index
          scf.for %d = %c0 to %c16 step %c1 {
            memref.store %zero, %out[%at, %d] : memref<?x16xf32>
          }
        }
      }
    }
  }
  slc.return
}

// A piece of a row goes behind the pieces before it; one element needs no loop.
// What else the callback does stays, and takes only what it needs.

// CHECK-LABEL: slc.kernel @pieces(
// CHECK: slc.for @pieces %[[D:.*]] = {{.*}} {
// CHECK-NEXT: %[[R:.*]] = slc.buffer_stream
// CHECK-NEXT: slc.store_stream %[[R]], %{{.*}}[%[[D]]] : !slc.chunk<64xf32>, memref<128xf32>
// CHECK-NEXT: slc.store_stream %[[D]], %{{.*}}[%[[D]]] : !slc.stream<index>, memref<128xindex>
// CHECK-NEXT: slc.callback(%[[V:.*]] = %[[D]] : index) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[V]]] : memref<128xf32>
// CHECK-NEXT: }
slc.kernel @pieces(%t: memref<128xf32>, %out: memref<128xf32>, %at: memref<128xindex>, %sums: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  slc.for @pieces %d = %c0 : index to %c128 : index step %c64 {
    %r = slc.buffer_stream %t[%d] length 64 : memref<128xf32> -> !slc.chunk<64xf32>
    slc.callback(%row = %r : memref<64xf32, #slc.queue>, %base = %d : index) {
      scf.for %k = %c0 to %c64 step %c1 {
        %x = memref.load %row[%k] : memref<64xf32, #slc.queue>
        %to = arith.addi %k, %base : index
        memref.store %x, %out[%to] : memref<128xf32>
      }
      memref.store %base, %at[%base] : memref<128xindex>
      memref.store %one, %sums[%base] : memref<128xf32>
      %s = memref.load %sums[%base] : memref<128xf32>
    }
  }
  slc.return
}

// A buffer that is written in another way somewhere stays with the core, as do
// rows that are computed with, rotated, or stored by turns.

// CHECK-LABEL: slc.kernel @not_copies(
// CHECK-NOT: slc.store_stream
slc.kernel @not_copies(%t: memref<?x16xf32>, %a: memref<16xf32>, %b: memref<16xf32>, %c: memref<16xf32>,
                       %d: memref<32xf32>, %e: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 16 : memref<?x16xf32> -> !slc.chunk<16xf32>
  slc.callback(%row = %r : memref<16xf32, #slc.queue>) {
    %local = memref.alloca() : memref<16xf32>
    scf.for %k = %c0 to %c16 step %c1 {
      %x = memref.load %row[%k] : memref<16xf32, #slc.queue>
      memref.store %x, %a[%k] : memref<16xf32>
      memref.store %x, %local[%k] : memref<16xf32>
    }
    memref.copy %local, %a : memref<16xf32> to memref<16xf32>
    scf.for %k = %c0 to %c16 step %c1 {
      %x = memref.load %row[%k] : memref<16xf32, #slc.queue>
      %y = arith.addf %x, %x : f32
      memref.store %y, %b[%k] : memref<16xf32>
    }
    scf.for %k = %c0 to %c16 step %c1 {
      %back = arith.subi %c16, %k : index
      %last = arith.subi %back, %c1 : index
      %x = memref.load %row[%last] : memref<16xf32, #slc.queue>
      memref.store %x, %c[%k] : memref<16xf32>
    }
    scf.for %k = %c0 to %c16 step %c1 {
      %x = memref.load %row[%k] : memref<16xf32, #slc.queue>
      %next = arith.addi %k, %c1 : index
      memref.store %x, %d[%k] : memref<32xf32>
      memref.store %x, %d[%next] : memref<32xf32>
    }
    %x0 = memref.load %row[%c0] : memref<16xf32, #slc.queue>
    memref.store %x0, %e[%c0] : memref<16xf32>
  }
  slc.return
}
}

// -----

// Not every access unit can store.

module attributes {dlc.target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true, store = false, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">} {
// CHECK-LABEL: slc.kernel @cannot_store
// CHECK-NOT: slc.store_stream
slc.kernel @cannot_store(%t: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @rows %p = %c0 : index to %n : index step %c1 {
    %x = slc.mem_stream %t[%p] : memref<?xf32> -> !slc.stream<f32>
    slc.callback(%v = %x : f32, %at = %p : index) {
      memref.store %v, %out[%at] : memref<?xf32>
    }
  }
  slc.return
}
}
