// RUN: ember-translate --part=execute -O0 %s | FileCheck %s

// What an element's size decides. Elements of all kernels share the rings, so
// rows of 256 and 448 bytes lie at multiples of 64.

module @execute {
  // CHECK-LABEL: define void @wide_execute
  // A row may reach the end of the ring; it then starts at the beginning.
  // CHECK: %[[AT:.*]] = and i64 %[[TAIL:.*]], 16383
  // CHECK: %[[OVER:.*]] = icmp ugt i64 %[[AT]], 15936
  // CHECK: %[[RARE:.*]] = call i1 @llvm.expect.i1(i1 %[[OVER]], i1 false)
  // CHECK: br i1 %[[RARE]]
  // CHECK: %[[REST:.*]] = sub i64 16384, %[[AT]]
  // CHECK: add i64 %[[TAIL]], %[[REST]]
  // CHECK: load <16 x float>, ptr %{{.*}}, align 64
  func.func @wide_execute(%ctx: !llvm.ptr, %out: memref<16xf32>)
      attributes {dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>} {
    %c0 = arith.constant 0 : index
    dlc.take(%row : memref<112xf32, #slc.queue> from data) {
      %x = vector.load %row[%c0] : memref<112xf32, #slc.queue>, vector<16xf32>
      vector.store %x, %out[%c0] : memref<16xf32>, vector<16xf32>
    }
    return
  }

  // CHECK-LABEL: define void @narrow_execute
  // CHECK: icmp ugt i64 %{{.*}}, 16128
  func.func @narrow_execute(%ctx: !llvm.ptr, %out: memref<16xf32>)
      attributes {dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>} {
    %c0 = arith.constant 0 : index
    dlc.take(%row : memref<64xf32, #slc.queue> from data) {
      %x = vector.load %row[%c0] : memref<64xf32, #slc.queue>, vector<16xf32>
      vector.store %x, %out[%c0] : memref<16xf32>, vector<16xf32>
    }
    return
  }

  // What was pushed before an element is there with it, in any queue, so a take
  // waits once; it gives back each queue's room.
  // CHECK-LABEL: define void @weighted_execute
  // CHECK: call i64 @ember_queue_wait
  // CHECK-NOT: ember_queue_wait
  // CHECK-COUNT-2: store atomic
  // CHECK: ret void
  func.func @weighted_execute(%ctx: !llvm.ptr, %x: memref<f32>, %out: memref<16xf32>)
      attributes {dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>} {
    %c0 = arith.constant 0 : index
    dlc.take(%w : f32 from scalar, %row : memref<64xf32, #slc.queue> from data) {
      memref.store %w, %x[] : memref<f32>
      %v = vector.load %row[%c0] : memref<64xf32, #slc.queue>, vector<16xf32>
      vector.store %v, %out[%c0] : memref<16xf32>, vector<16xf32>
    }
    return
  }

  // One wait and one store for all that is taken from a queue at once; small
  // integers come out of a whole word.
  // CHECK-LABEL: define void @scalars_execute
  // CHECK-COUNT-1: call i64 @ember_queue_wait
  // CHECK-NOT: ember_queue_wait
  // CHECK: load float, ptr %{{.*}}, align 8
  // CHECK: %[[WORD:.*]] = load i64, ptr %{{.*}}, align 8
  // CHECK: trunc i64 %[[WORD]] to i32
  // CHECK-COUNT-1: store atomic
  // CHECK: ret void
  func.func @scalars_execute(%ctx: !llvm.ptr, %x: memref<f32>, %i: memref<i32>)
      attributes {dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>} {
    dlc.take(%a : f32 from scalar, %b : i32 from scalar) {
      memref.store %a, %x[] : memref<f32>
      memref.store %b, %i[] : memref<i32>
    }
    return
  }
}
func.func private @f()
