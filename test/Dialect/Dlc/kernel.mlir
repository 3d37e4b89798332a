// RUN: ember-opt %s | ember-opt | FileCheck %s

// A bag (sum, padding) at level 0: one element a push, one token an iteration.
// CHECK-LABEL: dlc.kernel @bag(
// CHECK-SAME: {ember.name = "table"}
// CHECK-SAME: queues <data = 16384, scalar = 2048, token = 2048> {
dlc.kernel @bag(%table: memref<?x64xf32> {ember.name = "table"},
                %indices: memref<?xi64> {ember.name = "indices"},
                %offsets: memref<?xindex> {ember.name = "offsets"},
                %out: memref<?x64xf32>, %bags: index, %pad: i64)
    queues <data = 16384, scalar = 2048, token = 2048> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: dlc.access {
  dlc.access {
    // CHECK: dlc.loop @bags %[[B:.*]] = %{{.*}} to %{{.*}} step %{{.*}} counted {
    dlc.loop @bags %b = %c0 to %bags step %c1 counted {
      %p0 = dlc.mem %offsets[%b] : memref<?xindex> -> index
      %b1 = arith.addi %b, %c1 : index
      %p1 = dlc.mem %offsets[%b1] : memref<?xindex> -> index
      dlc.push data, %b : index
      // CHECK: dlc.loop @elems {{.*}} until {
      dlc.loop @elems %p = %p0 to %p1 step %c1 until {
        // CHECK: dlc.mem %{{.*}}[%{{.*}}] : memref<?xi64> -> i64
        %i = dlc.mem %indices[%p] : memref<?xi64> -> i64
        %keep = arith.cmpi ne, %i, %pad : i64
        %row = arith.index_cast %i : i64 to index
        // CHECK: dlc.if %{{.*}} filter {
        dlc.if %keep filter {
          dlc.loop @columns %d = %c0 to %c64 step %c1 until {
            %x = dlc.mem %table[%row, %d] : memref<?x64xf32> -> f32
            // CHECK: dlc.push data, %{{.*}} : f32
            dlc.push data, %x : f32
            dlc.push data, %d : index
          }
        }
      }
    }
  }
  // CHECK: dlc.execute {
  dlc.execute {
    // CHECK: dlc.repeat @bags
    dlc.repeat @bags %b = %c0 to %bags step %c1 {
      // CHECK: dlc.take(%{{.*}}: index from data) -> (index) {
      %bag = dlc.take(%bb : index from data) -> (index) { dlc.yield %bb : index }
      // CHECK: dlc.until @elems {
      dlc.until @elems {
        dlc.until @columns {
          // CHECK: dlc.take(%{{.*}}: f32 from data, %{{.*}}: index from data) {
          dlc.take(%x : f32 from data, %d : index from data) {
            %a = memref.load %out[%bag, %d] : memref<?x64xf32>
            %s = arith.addf %a, %x : f32
            memref.store %s, %out[%bag, %d] : memref<?x64xf32>
          }
        }
      }
    }
  }
}

// Rows, iter_args, a flag, several queues.
// CHECK-LABEL: dlc.kernel @rows
dlc.kernel @rows(%table: memref<?x100xf32>, %mask: memref<?xi1>, %out: memref<?xf32>, %n: index)
    queues <data = 1024, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  dlc.access {
    dlc.loop @rows %i = %c0 to %n step %c1 counted {
      // CHECK: dlc.mem {{.*}} valid 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
      %r = dlc.mem %table[%i, %c0] valid 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
      %m = dlc.mem %mask[%i] : memref<?xi1> -> i1
      // CHECK: dlc.if %{{.*}} flag {
      dlc.if %m flag {
        dlc.push data, %r : !slc.chunk<112xf32>
      // CHECK: } else {
      } else {
        dlc.push scalar, %i : index
      }
    }
  }
  dlc.execute {
    // CHECK: dlc.repeat @rows {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
    %sum = dlc.repeat @rows %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      // CHECK: dlc.when -> (f32) {
      %next = dlc.when -> (f32) {
        // CHECK: dlc.take(%{{.*}}: memref<112xf32, #slc.queue> from data) -> (f32) {
        %t = dlc.take(%row : memref<112xf32, #slc.queue> from data) -> (f32) {
          %x = memref.load %row[%c0] : memref<112xf32, #slc.queue>
          %y = arith.addf %s, %x : f32
          dlc.yield %y : f32
        }
        dlc.yield %t : f32
      // CHECK: } else {
      } else {
        dlc.take(%j : index from scalar) {
          memref.store %zero, %out[%j] : memref<?xf32>
        }
        dlc.yield %s : f32
      }
      dlc.yield %next : f32
    }
    memref.store %sum, %out[%c0] : memref<?xf32>
  }
}

// CHECK-LABEL: @host
func.func @host(%table: memref<?x100xf32>, %mask: memref<?xi1>, %out: memref<?xf32>, %n: index) {
  // CHECK: dlc.launch @rows(%{{.*}}) : memref<?x100xf32>, memref<?xi1>, memref<?xf32>, index
  dlc.launch @rows(%table, %mask, %out, %n) : memref<?x100xf32>, memref<?xi1>, memref<?xf32>, index
  return
}

// At level 4 the core learns the trip count once.
// CHECK-LABEL: dlc.kernel @announced
dlc.kernel @announced(%x: memref<?xf32>, %offsets: memref<?xindex>, %out: memref<?xf32>, %n: index)
    queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  dlc.access {
    dlc.loop @bags %b = %c0 to %n step %c1 counted {
      %p = dlc.mem %offsets[%b] : memref<?xindex> -> index
      // CHECK: dlc.loop @elems {{.*}} announced {
      dlc.loop @elems %i = %c0 to %p step %c1 announced {
        %v = dlc.mem %x[%i] : memref<?xf32> -> f32
        dlc.push data, %v : f32
      }
    }
  }
  dlc.execute {
    dlc.repeat @bags %b = %c0 to %n step %c1 {
      // CHECK: dlc.times @elems iter_args(%{{.*}} = %{{.*}}) -> (f32) {
      %sum = dlc.times @elems iter_args(%a = %zero) -> (f32) {
        %next = dlc.take(%v : f32 from data) -> (f32) {
          %s = arith.addf %a, %v : f32
          dlc.yield %s : f32
        }
        dlc.yield %next : f32
      }
      memref.store %sum, %out[%b] : memref<?xf32>
    }
  }
}
