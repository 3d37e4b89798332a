// RUN: ember-opt %s --split-input-file --slc-promote-locals | FileCheck %s

// The row of %out is in registers while its loop runs; nothing is loaded.
// CHECK-LABEL: slc.kernel @bag
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK: %[[BAG:.*]] = slc.callback(
// CHECK-NOT: vector.store
// CHECK: %[[SUM:.*]]:2 = slc.for @elems {{.*}} iter_args(%[[A:.*]] = %[[ZERO]], %[[B:.*]] = %[[ZERO]]) -> (vector<16xf32>, vector<16xf32>) {
// CHECK: %[[KEPT:.*]]:2 = slc.if %{{.*}} -> (vector<16xf32>, vector<16xf32>) {
// CHECK: %[[NEXT:.*]]:2 = slc.callback(%[[ROW:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = vector.load %[[ROW]]
// CHECK: arith.addf %[[A]], %[[X]]
// CHECK: vector.load %[[ROW]]
// CHECK-NOT: maskedload
// CHECK-NOT: store
// CHECK: slc.yield %[[NEXT]]#0, %[[NEXT]]#1
// CHECK: } else {
// CHECK: slc.yield %[[A]], %[[B]]
// CHECK: slc.yield %[[KEPT]]#0, %[[KEPT]]#1
// CHECK: slc.callback {
// CHECK: vector.store %[[SUM]]#0, %{{.*}}[%[[BAG]], %{{.*}}]
// CHECK: vector.maskedstore %{{.*}}[%[[BAG]], %{{.*}}], %{{.*}}, %[[SUM]]#1
slc.kernel @bag(%t: memref<?x20xf32>, %idx: memref<?xindex>, %off: memref<?xindex>, %out: memref<?x20xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  slc.for @bags %b = %c0 : index to %n : index step %c1 parallel {
    %end = slc.mem_stream %off[%b] : memref<?xindex> -> !slc.stream<index>
    %bag = slc.callback(%0 = %b : index) -> (index) {
      scf.for %d = %c0 to %c16 step %c16 {
        vector.store %zero, %out[%0, %d] : memref<?x20xf32>, vector<16xf32>
      }
      %mask = vector.constant_mask [4] : vector<16xi1>
      vector.maskedstore %out[%0, %c16], %mask, %zero : memref<?x20xf32>, vector<16xi1>, vector<16xf32>
      slc.yield %0 : index
    }
    slc.for @elems %p = %c0 : index to %end step %c1 {
      %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
      %keep = slc.alu_stream ne %i, %c1 : (!slc.stream<index>, index) -> !slc.stream<i1>
      slc.if %keep {
        %r = slc.buffer_stream %t[%i, %c0 : index] length 20 : memref<?x20xf32> -> !slc.chunk<32xf32>
        slc.callback(%row = %r : memref<32xf32, #slc.queue>) {
          scf.for %d = %c0 to %c16 step %c16 {
            %x = vector.load %row[%d] : memref<32xf32, #slc.queue>, vector<16xf32>
            %a = vector.load %out[%bag, %d] : memref<?x20xf32>, vector<16xf32>
            %s = arith.addf %a, %x : vector<16xf32>
            vector.store %s, %out[%bag, %d] : memref<?x20xf32>, vector<16xf32>
          }
          %mask = vector.constant_mask [4] : vector<16xi1>
          %x = vector.load %row[%c16] : memref<32xf32, #slc.queue>, vector<16xf32>
          %a = vector.maskedload %out[%bag, %c16], %mask, %zero : memref<?x20xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
          %s = arith.addf %a, %x : vector<16xf32>
          vector.maskedstore %out[%bag, %c16], %mask, %s : memref<?x20xf32>, vector<16xi1>, vector<16xf32>
        }
      }
    }
  }
  slc.return
}

// -----

// A local of the loop around it goes wholly.
// CHECK-LABEL: slc.kernel @local
// CHECK-NOT: slc.local
// CHECK: %[[SUM:.*]] = slc.for @elems {{.*}} iter_args
// CHECK: slc.callback({{.*}}) {
// CHECK: memref.store %[[SUM]], %{{.*}} : memref<?xf32>
slc.kernel @local(%x: memref<?xf32>, %off: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %acc = slc.local : memref<f32, #slc.local>
  slc.for @bags %b = %c0 : index to %n : index step %c1 {
    %end = slc.mem_stream %off[%b] : memref<?xindex> -> !slc.stream<index>
    slc.callback {
      memref.store %zero, %acc[] : memref<f32, #slc.local>
    }
    slc.for @elems %p = %c0 : index to %end step %c1 {
      %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
      slc.callback(%0 = %v : f32) {
        %a = memref.load %acc[] : memref<f32, #slc.local>
        %s = arith.addf %a, %0 : f32
        memref.store %s, %acc[] : memref<f32, #slc.local>
      }
    }
    slc.callback(%0 = %b : index) {
      %a = memref.load %acc[] : memref<f32, #slc.local>
      memref.store %a, %out[%0] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// Nothing outside of the loop uses the place, so it may not exist: an empty loop
// must not touch it.
// CHECK-LABEL: slc.kernel @maybe_outside
// CHECK: slc.for @elems {{.*}} step %{{[^ ]*}} {
// CHECK: memref.load
// CHECK: memref.store
slc.kernel @maybe_outside(%x: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
    slc.callback(%0 = %v : f32) {
      %a = memref.load %out[%c0] : memref<?xf32>
      %s = arith.addf %a, %0 : f32
      memref.store %s, %out[%c0] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// Which place is written is known at run time only: everything stays.
// CHECK-LABEL: slc.kernel @scatter
// CHECK: slc.for @elems {{.*}} step %{{[^ ]*}} {
// CHECK: memref.load %{{.*}}[%{{.*}}] : memref<?xf32>
// CHECK: memref.store
slc.kernel @scatter(%x: memref<?xf32>, %at: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  slc.callback {
    memref.store %zero, %out[%c0] : memref<?xf32>
  }
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
    %i = slc.mem_stream %at[%p] : memref<?xindex> -> !slc.stream<index>
    slc.callback(%0 = %v : f32, %1 = %i : index) {
      %a = memref.load %out[%c0] : memref<?xf32>
      %s = arith.addf %a, %0 : f32
      memref.store %s, %out[%c0] : memref<?xf32>
      memref.store %0, %out[%1] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// What the loop only reads is loaded once, and not stored.
// CHECK-LABEL: slc.kernel @query
// CHECK: %[[Q:.*]] = slc.callback(%[[ROW:.*]] = %{{.*}} : memref<16xf32, #slc.queue>) -> (vector<16xf32>) {
// CHECK-NEXT: %[[X:.*]] = vector.load %[[ROW]]
// CHECK-NEXT: slc.yield %[[X]]
// CHECK: slc.for @elems {{.*}} step %{{[^ ]*}} {
// CHECK: slc.callback(%[[ROW:.*]] = {{.*}}, %[[AT:.*]] = {{.*}}) {
// CHECK-NEXT: %[[Y:.*]] = vector.load %[[ROW]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[Q]], %[[Y]]
// CHECK-NEXT: vector.store %[[P]]
// CHECK-NOT: store
slc.kernel @query(%t: memref<?x16xf32>, %out: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %q = slc.local : memref<16xf32, #slc.local>
  slc.for @rows %u = %c0 : index to %n : index step %c1 {
    %h = slc.buffer_stream %t[%u, %c0 : index] length 16 : memref<?x16xf32> -> !slc.chunk<16xf32>
    slc.callback(%row = %h : memref<16xf32, #slc.queue>) {
      %x = vector.load %row[%c0] : memref<16xf32, #slc.queue>, vector<16xf32>
      vector.store %x, %q[%c0] : memref<16xf32, #slc.local>, vector<16xf32>
    }
    slc.for @elems %p = %c0 : index to %n : index step %c1 {
      %r = slc.buffer_stream %t[%p, %c0 : index] length 16 : memref<?x16xf32> -> !slc.chunk<16xf32>
      slc.callback(%row = %r : memref<16xf32, #slc.queue>, %at = %p : index) {
        scf.for %d = %c0 to %c16 step %c16 {
          %x = vector.load %q[%d] : memref<16xf32, #slc.local>, vector<16xf32>
          %y = vector.load %row[%d] : memref<16xf32, #slc.queue>, vector<16xf32>
          %m = arith.mulf %x, %y : vector<16xf32>
          vector.store %m, %out[%at, %d] : memref<?x16xf32>, vector<16xf32>
        }
      }
    }
  }
  slc.return
}

// -----

// Loops within carry what they use too.
// CHECK-LABEL: slc.kernel @nested
// CHECK: %[[OUTER:.*]] = slc.for @outer {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK: %[[INNER:.*]] = slc.for @inner {{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (f32) {
// CHECK-NOT: memref.load
// CHECK: arith.addf %[[B]]
// CHECK: slc.yield %[[INNER]] : f32
// CHECK: memref.store %[[OUTER]]
slc.kernel @nested(%x: memref<?x?xf32>, %out: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  slc.callback {
    memref.store %zero, %out[] : memref<f32>
  }
  slc.for @outer %p = %c0 : index to %n : index step %c1 {
    slc.for @inner %q = %c0 : index to %n : index step %c1 {
      %v = slc.mem_stream %x[%p, %q] : memref<?x?xf32> -> !slc.stream<f32>
      slc.callback(%0 = %v : f32) {
        %a = memref.load %out[] : memref<f32>
        %s = arith.addf %a, %0 : f32
        memref.store %s, %out[] : memref<f32>
      }
    }
  }
  slc.return
}
