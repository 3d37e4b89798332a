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

// -----

// A dot product: each lane sums its own products, lanes that do not exist add
// the neutral element, and halves are summed until one element is left.

// CHECK-LABEL: slc.kernel @dot
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[INIT:.*]] = slc.callback(%{{.*}} : index) -> (f32)
// CHECK: %[[V:.*]] = slc.for @row %{{.*}} = %{{.*}} : index to %c96 : index step %c16 iter_args(%[[A:.*]] = %[[ZERO]]) -> (vector<16xf32>) {
// CHECK: %[[NEXT:.*]] = slc.callback(%[[X:[a-z0-9]+]] = %{{.*}} : vector<16xf32>{{.*}} -> (vector<16xf32>) {
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[X]] : vector<16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[P]] : vector<16xf32>
// CHECK: slc.yield %[[S]]
// CHECK: slc.yield %[[NEXT]]
// CHECK: %[[T:.*]] = slc.callback({{.*}} -> (vector<16xf32>) {
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: arith.addf %[[V]], %[[REST]]
// CHECK: %[[DOT:.*]] = slc.callback -> (f32) {
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[T]] {offsets = [0], sizes = [8], strides = [1]}
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[T]] {offsets = [8], sizes = [8], strides = [1]}
// CHECK: %[[EIGHT:.*]] = arith.addf %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: %[[ONE:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK: %[[E:.*]] = vector.extract %[[ONE]][0]
// CHECK: arith.addf %[[INIT]], %[[E]] : f32
slc.kernel @dot(%t: memref<?x100xf32>, %idx: memref<?xindex>, %q: memref<100xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %init = slc.callback(%at = %p : index) -> (f32) {
      %o = memref.load %out[%at] : memref<?xf32>
      slc.yield %o : f32
    }
    %s = slc.for @row %d = %c0 : index to %c100 : index step %c1 iter_args(%a = %init) -> (f32) {
      %x = slc.mem_stream %t[%i, %d] : memref<?x100xf32> -> !slc.stream<f32>
      %next = slc.callback(%v = %x : f32, %at = %d : index) -> (f32) {
        %w = memref.load %q[%at] : memref<100xf32>
        %y = arith.mulf %w, %v : f32
        %b = arith.addf %a, %y : f32
        slc.yield %b : f32
      }
      slc.yield %next : f32
    }
    slc.callback(%at = %p : index) {
      memref.store %s, %out[%at] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// A row of one vector needs no loop and nothing to start from; a maximum, and
// two carried values at once, of which the wider type counts the lanes.

// CHECK-LABEL: slc.kernel @chunk_reductions
// CHECK-NOT: scf.for
// CHECK: %[[X:.*]] = vector.load %{{.*}} : memref<16xf32, #slc.queue>, vector<8xf32>
// CHECK: %[[Z:.*]] = arith.extf %[[X]] : vector<8xf32> to vector<8xf64>
// CHECK-NEXT: vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: vector.extract_strided_slice %[[Z]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf64>
slc.kernel @chunk_reductions(%t: memref<?x8xf32>, %out: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f64
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 8 : memref<?x8xf32> -> !slc.chunk<16xf32>
  slc.callback(%c = %r : memref<16xf32, #slc.queue>) {
    %m:2 = scf.for %d = %c0 to %c8 step %c1 iter_args(%a = %low, %b = %zero) -> (f32, f64) {
      %x = memref.load %c[%d] : memref<16xf32, #slc.queue>
      %y = arith.maximumf %a, %x : f32
      %z = arith.extf %x : f32 to f64
      %s = arith.addf %b, %z : f64
      scf.yield %y, %s : f32, f64
    }
    %w = arith.extf %m#0 : f32 to f64
    %v = arith.addf %w, %m#1 : f64
    memref.store %v, %out[%c0] : memref<1xf64>
  }
  slc.return
}

// -----

// What an iteration finds is used twice, or its order matters: no reduction.

// CHECK-LABEL: slc.kernel @recurrences
// CHECK-NOT: vector
slc.kernel @recurrences(%out: memref<8xf32>, %k: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  slc.callback {
    %prefix = scf.for %d = %c0 to %c8 step %c1 iter_args(%a = %k) -> (f32) {
      %x = memref.load %out[%d] : memref<8xf32>
      %s = arith.addf %a, %x : f32
      memref.store %a, %out[%d] : memref<8xf32>
      scf.yield %s : f32
    }
    %difference = scf.for %d = %c0 to %c8 step %c1 iter_args(%a = %prefix) -> (f32) {
      %x = memref.load %out[%d] : memref<8xf32>
      %s = arith.subf %x, %a : f32
      scf.yield %s : f32
    }
    %twice = scf.for %d = %c0 to %c8 step %c1 iter_args(%a = %difference) -> (f32) {
      %s = arith.addf %a, %a : f32
      scf.yield %s : f32
    }
    memref.store %twice, %out[%c0] : memref<8xf32>
  }
  slc.return
}
