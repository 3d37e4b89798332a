// RUN: ember-opt %s --cse --canonicalize | FileCheck %s

// Two takes are two elements, and one whose value nobody uses is taken too.
// CHECK-LABEL: dlc.kernel @same
// CHECK: dlc.execute
// CHECK-COUNT-3: dlc.take(
// CHECK: dlc.when
dlc.kernel @same(%x: memref<?xf32>, %out: memref<?xf32>, %n: index, %c: i1)
    queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    %a = dlc.mem %x[%c0] : memref<?xf32> -> f32
    %b = dlc.mem %x[%c1] : memref<?xf32> -> f32
    dlc.push data, %a : f32
    dlc.push data, %b : f32
    dlc.push data, %b : f32
    dlc.if %c flag {
    }
  }
  dlc.execute {
    %a = dlc.take(%v : f32 from data) -> (f32) { dlc.yield %v : f32 }
    %b = dlc.take(%v : f32 from data) -> (f32) { dlc.yield %v : f32 }
    %unused = dlc.take(%v : f32 from data) -> (f32) { dlc.yield %v : f32 }
    dlc.when {
    }
    memref.store %a, %out[%c0] : memref<?xf32>
    memref.store %b, %out[%c1] : memref<?xf32>
  }
}
