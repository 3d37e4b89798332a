// RUN: ember-opt %s --slc-vectorize --split-input-file | FileCheck %s

// 100 elements: six whole vectors in a loop, four lanes under a mask.

// CHECK-LABEL: slc.kernel @row
// CHECK: slc.for @row %[[D:.*]] = %{{.*}} : index to %c96 : index step %c16 {
// CHECK-NEXT: %[[X:.*]] = slc.mem_stream %{{.*}}[%[[I:.*]], %[[D]]] : memref<?x100xf32> -> !slc.stream<vector<16xf32>>
// CHECK-NEXT: slc.callback(%[[V:[a-z0-9_]+]] = %[[X]] : vector<16xf32>, %[[AT:.*]] = %[[D]] : index) {
// CHECK-NEXT: %[[A:.*]] = vector.load %[[OUT:.*]][%[[AT]]] : memref<100xf32>, vector<16xf32>
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[V]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[S]], %[[OUT]][%[[AT]]]
// CHECK: %[[T:.*]] = slc.mem_stream %{{.*}}[%[[I]], %c96 : index] valid 4
// CHECK-NEXT: slc.callback(%[[TV:.*]] = %[[T]] : vector<16xf32>) {
// CHECK: %[[MASK:.*]] = vector.constant_mask [4] : vector<16xi1>
// CHECK-NEXT: vector.maskedload %[[OUT]][%c96], %[[MASK]]
// CHECK: vector.maskedstore %[[OUT]][%c96]
slc.kernel @row(%t: memref<?x100xf32>, %idx: memref<?xindex>, %out: memref<100xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    slc.for @row %d = %c0 : index to %c100 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x100xf32> -> !slc.stream<f32>
      slc.callback(%v = %x : f32, %at = %d : index) {
        %a = memref.load %out[%at] : memref<100xf32>
        %s = arith.addf %a, %v : f32
        memref.store %s, %out[%at] : memref<100xf32>
      }
    }
  }
  slc.return
}

// -----

// Shorter than a vector: no loop at all. A bf16 row is computed with in 16
// lanes of 32 bits.

// CHECK-LABEL: slc.kernel @short
// CHECK-NOT: slc.for @row
// CHECK: slc.mem_stream {{.*}} valid 3 : memref<?x3xbf16> -> !slc.stream<vector<16xbf16>>
// CHECK: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
slc.kernel @short(%t: memref<?x3xbf16>, %idx: memref<?xindex>, %out: memref<3xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    slc.for @row %d = %c0 : index to %c3 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x3xbf16> -> !slc.stream<bf16>
      slc.callback(%v = %x : bf16, %at = %d : index) {
        %f = arith.extf %v : bf16 to f32
        memref.store %f, %out[%at] : memref<3xf32>
      }
    }
  }
  slc.return
}

// -----

// A chunk is padded, so its last vector is read without a mask.

// CHECK-LABEL: slc.kernel @chunk
// CHECK: scf.for
// CHECK: vector.load %[[C:.*]][%c96] : memref<112xf32, #slc.queue>, vector<16xf32>
// CHECK: vector.maskedstore
slc.kernel @chunk(%t: memref<?x100xf32>, %out: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
  slc.callback(%c = %r : memref<112xf32, #slc.queue>) {
    scf.for %d = %c0 to %c100 step %c1 {
      %x = memref.load %c[%d] : memref<112xf32, #slc.queue>
      memref.store %x, %out[%d] : memref<100xf32>
    }
  }
  slc.return
}

// -----

// A machine with shorter vectors, and a counter used as a value.

// CHECK-LABEL: slc.kernel @counter
// CHECK: vector.step : vector<4xindex>
// CHECK: vector.store %{{.*}} : memref<8xindex>, vector<4xindex>
module attributes {dlc.target = #dlc.target<machine = "narrow",
    vector_bits = 256, access_unit = true, lanes = 8, layers = 4,
    storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true,
    store = true, bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
    cpu = "x86-64-v3", features = "">} {
  slc.kernel @counter(%out: memref<8xindex>, %k: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    slc.callback {
      scf.for %d = %c0 to %c8 step %c1 {
        %x = arith.muli %d, %k : index
        memref.store %x, %out[%d] : memref<8xindex>
      }
    }
    slc.return
  }
}

// -----

// What an iteration reads may be what another wrote, a store that the last
// iteration wins, division that must not run in idle lanes: all stay scalar.

// CHECK-LABEL: slc.kernel @stays_scalar
// CHECK-NOT: vector
slc.kernel @stays_scalar(%a: memref<?xf32>, %one: memref<f32>, %i: memref<?xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  slc.callback {
    scf.for %d = %c0 to %c8 step %c1 {
      %next = arith.addi %d, %c1 : index
      %x = memref.load %a[%d] : memref<?xf32>
      memref.store %x, %a[%next] : memref<?xf32>
    }
    scf.for %d = %c0 to %c8 step %c1 {
      %x = memref.load %a[%d] : memref<?xf32>
      memref.store %x, %one[] : memref<f32>
    }
    scf.for %d = %c0 to %c8 step %c1 {
      %x = memref.load %i[%d] : memref<?xi32>
      %y = arith.divsi %k, %x : i32
      memref.store %y, %i[%d] : memref<?xi32>
    }
  }
  slc.return
}

// -----

// A bit takes a byte in memory, but not in a vector.

// CHECK-LABEL: slc.kernel @bits
// CHECK-NOT: vector
slc.kernel @bits(%t: memref<?x8xi1>, %idx: memref<?xindex>, %out: memref<?x8xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  slc.for @rows %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    slc.for @row %d = %c0 : index to %c8 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x8xi1> -> !slc.stream<i1>
      slc.callback(%v = %x : i1, %at = %p : index, %to = %d : index) {
        memref.store %v, %out[%at, %to] : memref<?x8xi1>
      }
    }
  }
  slc.return
}
