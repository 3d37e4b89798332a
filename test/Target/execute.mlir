// RUN: ember-translate --part=execute %s | FileCheck %s

// The core's code for a row of 64 floats at level 2. The row is read in place by
// whole vectors; the path on which it is there already calls nothing, and gives
// its room back by one store.

// CHECK: declare {{.*}} @ember_queue_wait(ptr, ptr, i64) {{.*}}[[COLD:#[0-9]+]]

// CHECK-LABEL: define void @sum_execute(ptr %0,
// CHECK-SAME: ptr noalias
// CHECK: %[[DATA:.*]] = load ptr, ptr %0
// CHECK: %[[TOKENS:.*]] = load ptr, ptr
// The token:
// CHECK: %[[PLACE:.*]] = and i64 %{{.*}}, 2047
// CHECK: icmp ult i64
// CHECK-NEXT: br i1 %{{.*}}, label %[[MISS:.*]], label %[[HIT:.*]], !dbg
// CHECK: [[MISS]]:
// CHECK-NEXT: call i64 @ember_queue_wait(
// CHECK-NEXT: br label %[[HIT]]
// CHECK: [[HIT]]:
// CHECK-NOT: call
// CHECK: load i64, ptr %{{.*}}, align 8
// CHECK-NEXT: store atomic i64 %{{.*}}, ptr %{{.*}} release, align 8
// The row: no test for the ring's end, as 256 divides the capacity.
// CHECK: and i64 %{{.*}}, 16383
// CHECK-NOT: select
// CHECK: icmp ult i64
// CHECK-NEXT: br i1 %{{.*}}, label %[[MISS:.*]], label %[[HIT:.*]], !dbg
// CHECK: [[MISS]]:
// CHECK-NEXT: call i64 @ember_queue_wait(
// CHECK-NEXT: br label %[[HIT]]
// CHECK: [[HIT]]:
// CHECK-NOT: call
// CHECK-COUNT-4: load <16 x float>, ptr %{{.*}}, align 64
// CHECK-NOT: call
// CHECK: store atomic i64 %{{.*}}, ptr %{{.*}} release, align 8
// CHECK: ret void
// CHECK: attributes [[COLD]] = { cold nounwind }

module attributes {dlc.target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "-prefer-256-bit">} {
  module @execute {
    func.func @sum_execute(%ctx: !llvm.ptr, %out: memref<64xf32>)
        attributes {dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      dlc.until @elems {
        dlc.take(%row : memref<64xf32, #slc.queue> from data) {
          scf.for %d = %c0 to %c64 step %c16 {
            %x = vector.load %row[%d] : memref<64xf32, #slc.queue>, vector<16xf32>
            %a = vector.load %out[%d] : memref<64xf32>, vector<16xf32>
            %s = arith.addf %a, %x : vector<16xf32>
            vector.store %s, %out[%d] : memref<64xf32>, vector<16xf32>
          }
        }
      }
      return
    }
  }
}
