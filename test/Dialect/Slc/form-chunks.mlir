// RUN: ember-opt %s --slc-form-chunks --split-input-file | FileCheck %s

// A row of 100 becomes a chunk padded to whole vectors; the callback that takes
// the weight joins the one that takes the row.

// CHECK-LABEL: slc.kernel @row
// CHECK: %[[W:.*]] = slc.mem_stream {{.*}} -> !slc.stream<f32>
// CHECK-NEXT: %[[R:.*]] = slc.buffer_stream %{{.*}}[%{{.*}}, %{{.*}} : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
// CHECK-NEXT: slc.callback(%[[WV:.*]] = %[[W]] : f32, %[[C:.*]] = %[[R]] : memref<112xf32, #slc.queue>) {
// CHECK-NEXT: scf.for %[[D:.*]] = %c0 to %c100 step %c1 {
// CHECK-NEXT: %[[X:.*]] = memref.load %[[C]][%[[D]]]
// CHECK-NEXT: arith.mulf %[[WV]], %[[X]]
slc.kernel @row(%t: memref<?x100xf32>, %idx: memref<?xindex>, %w: memref<?xf32>, %out: memref<100xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %ws = slc.mem_stream %w[%p] : memref<?xf32> -> !slc.stream<f32>
    %wv = slc.callback(%v = %ws : f32) -> (f32) {
      slc.yield %v : f32
    }
    slc.for @row %d = %c0 : index to %c100 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x100xf32> -> !slc.stream<f32>
      slc.callback(%v = %x : f32, %at = %d : index) {
        %y = arith.mulf %wv, %v : f32
        %a = memref.load %out[%at] : memref<100xf32>
        %s = arith.addf %a, %y : f32
        memref.store %s, %out[%at] : memref<100xf32>
      }
    }
  }
  slc.return
}

// -----

// Half of the data queue (16384 bytes) less a line holds 2032 floats: a row of
// 5000 is cut into two whole pieces and a rest.

// CHECK-LABEL: slc.kernel @long_row
// CHECK: slc.for @row %[[D:.*]] = %{{.*}} : index to %c4064 : index step %c2032 {
// CHECK: slc.buffer_stream %{{.*}}[%{{.*}}, %[[D]]] length 2032 {{.*}} -> !slc.chunk<2032xf32>
// CHECK: slc.callback(
// CHECK: }
// CHECK: slc.buffer_stream %{{.*}}[%{{.*}}, %c4064 : index] length 936 {{.*}} -> !slc.chunk<944xf32>
// CHECK: slc.callback(
slc.kernel @long_row(%t: memref<?x5000xf32>, %idx: memref<?xindex>, %out: memref<5000xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5000 = arith.constant 5000 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    slc.for @row %d = %c0 : index to %c5000 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x5000xf32> -> !slc.stream<f32>
      slc.callback(%v = %x : f32, %at = %d : index) {
        memref.store %v, %out[%at] : memref<5000xf32>
      }
    }
  }
  slc.return
}

// -----

// Values carried along the row are carried along the chunk.

// CHECK-LABEL: slc.kernel @carried
// CHECK: slc.callback(%{{.*}} = %{{.*}} : memref<64xf32, #slc.queue>, %[[AT:.*]] = %{{.*}} : index) {
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK: memref.store %[[SUM]], %{{.*}}[%[[AT]]]
slc.kernel @carried(%t: memref<?x64xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %sum = slc.for @row %d = %c0 : index to %c64 : index step %c1 iter_args(%s = %zero) -> (f32) {
      %x = slc.mem_stream %t[%i, %d] : memref<?x64xf32> -> !slc.stream<f32>
      %a = slc.callback(%v = %x : f32) -> (f32) {
        %b = arith.addf %s, %v : f32
        slc.yield %b : f32
      }
      slc.yield %a : f32
    }
    slc.callback(%at = %p : index) {
      memref.store %sum, %out[%at] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// A loop of unknown length, and one that gathers, stay as they are.

// CHECK-LABEL: slc.kernel @not_rows
// CHECK-NOT: slc.buffer_stream
slc.kernel @not_rows(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  slc.for @dynamic %p = %c0 : index to %n : index step %c1 {
    %x = slc.mem_stream %t[%p] : memref<?xf32> -> !slc.stream<f32>
    slc.callback(%v = %x : f32, %at = %p : index) {
      memref.store %v, %out[%at] : memref<?xf32>
    }
  }
  slc.for @gather %p = %c0 : index to %c8 : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %x = slc.mem_stream %t[%i] : memref<?xf32> -> !slc.stream<f32>
    slc.callback(%v = %x : f32, %at = %p : index) {
      memref.store %v, %out[%at] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// A bit takes a byte in memory, but not in a vector.

// CHECK-LABEL: slc.kernel @bits
// CHECK-NOT: slc.buffer_stream
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

// Two loops over one row: the row is sent once, to one callback. Another row
// between them is not the same, though of the same table.

// CHECK-LABEL: slc.kernel @shared
// CHECK: %[[I:.*]] = slc.mem_stream %{{.*}}[%{{.*}}] : memref<?xindex>
// CHECK-NEXT: %[[R:.*]] = slc.buffer_stream %{{.*}}[%[[I]], %c0 : index]
// CHECK-NEXT: %[[OTHER:.*]] = slc.buffer_stream %{{.*}}[%{{.*}}, %c0 : index]
// CHECK-NEXT: slc.callback(%[[C:[a-z0-9_]+]] = %[[R]] : memref<64xf32, #slc.queue>, %[[O:[a-z0-9_]+]] = %[[OTHER]] : memref<64xf32, #slc.queue>) {
// CHECK-NEXT: %[[S:.*]] = scf.for
// CHECK-NEXT: memref.load %[[C]]
// CHECK: scf.for
// CHECK-NEXT: memref.load %[[O]]
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = memref.load %[[C]]
// CHECK-NEXT: arith.mulf %[[S]], %[[X]]
slc.kernel @shared(%t: memref<?x64xf32>, %idx: memref<?xindex>, %out: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %sum = slc.for @dot %d = %c0 : index to %c64 : index step %c1 iter_args(%s = %zero) -> (f32) {
      %x = slc.mem_stream %t[%i, %d] : memref<?x64xf32> -> !slc.stream<f32>
      %a = slc.callback(%v = %x : f32) -> (f32) {
        %b = arith.addf %s, %v : f32
        slc.yield %b : f32
      }
      slc.yield %a : f32
    }
    slc.for @copy %d = %c0 : index to %c64 : index step %c1 {
      %x = slc.mem_stream %t[%p, %d] : memref<?x64xf32> -> !slc.stream<f32>
      slc.callback(%v = %x : f32, %at = %d : index) {
        memref.store %v, %out[%at] : memref<64xf32>
      }
    }
    slc.for @axpy %d = %c0 : index to %c64 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x64xf32> -> !slc.stream<f32>
      slc.callback(%v = %x : f32, %at = %d : index) {
        %y = arith.mulf %sum, %v : f32
        %a = memref.load %out[%at] : memref<64xf32>
        %b = arith.addf %a, %y : f32
        memref.store %b, %out[%at] : memref<64xf32>
      }
    }
  }
  slc.return
}

// -----

// Half of the data queue does not hold the row: it is sent for each loop, in
// pieces so short that the access unit can store those of both loops.

// CHECK-LABEL: slc.kernel @too_long_to_share
// CHECK: slc.for @dot {{.*}} iter_args(
// CHECK: slc.buffer_stream {{.*}} length 1008
// CHECK: slc.for @axpy
// CHECK: slc.buffer_stream {{.*}} length 1008
slc.kernel @too_long_to_share(%t: memref<?x4096xf32>, %idx: memref<?xindex>, %out: memref<4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %sum = slc.for @dot %d = %c0 : index to %c4096 : index step %c1 iter_args(%s = %zero) -> (f32) {
      %x = slc.mem_stream %t[%i, %d] : memref<?x4096xf32> -> !slc.stream<f32>
      %a = slc.callback(%v = %x : f32) -> (f32) {
        %b = arith.addf %s, %v : f32
        slc.yield %b : f32
      }
      slc.yield %a : f32
    }
    slc.for @axpy %d = %c0 : index to %c4096 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x4096xf32> -> !slc.stream<f32>
      slc.callback(%v = %x : f32, %at = %d : index) {
        %y = arith.mulf %sum, %v : f32
        memref.store %y, %out[%at] : memref<4096xf32>
      }
    }
  }
  slc.return
}
