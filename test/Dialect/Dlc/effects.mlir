// RUN: ember-opt %s --cse --canonicalize | FileCheck %s

// What is taken off a queue is gone: equal takes are not one, and those that
// nobody uses stay.

// CHECK-LABEL: dlc.kernel @twice
// CHECK: dlc.repeat @outer
// CHECK-NEXT: %[[I:.*]] = dlc.take
// CHECK: dlc.until @inner {
// CHECK-NEXT: %[[J:.*]] = dlc.take
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK: dlc.take
dlc.kernel @twice(%out: memref<8x8xf32>, %n: index)
    queues <data = 16384, scalar = 2048, token = 2048> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  dlc.access {
    dlc.loop @outer %i = %c0 to %n step %c1 counted {
      dlc.push data, %i : index
      dlc.loop @inner %j = %c0 to %n step %c1 until {
        dlc.push data, %j : index
      }
      dlc.push data, %i : index
    }
  }
  dlc.execute {
    dlc.repeat @outer %c = %c0 to %n step %c1 {
      %i = dlc.take(%v : index from data) -> (index) {
        dlc.yield %v : index
      }
      dlc.until @inner {
        %j = dlc.take(%v : index from data) -> (index) {
          dlc.yield %v : index
        }
        memref.store %one, %out[%i, %j] : memref<8x8xf32>
      }
      %unused = dlc.take(%v : index from data) -> (index) {
        dlc.yield %v : index
      }
    }
  }
}

// The access unit sends flags, tokens and counts though nothing else is done.
// CHECK-LABEL: dlc.kernel @empty_bodies
// CHECK: dlc.if %{{.*}} flag
// CHECK: dlc.loop @l {{.*}} until
// CHECK: dlc.loop @m {{.*}} announced
dlc.kernel @empty_bodies(%n: index, %c: i1) queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    dlc.if %c flag {
    }
    dlc.loop @l %i = %c0 to %n step %c1 until {
    }
    dlc.loop @m %i = %c0 to %n step %c1 announced {
    }
  }
  dlc.execute {
    dlc.when {
    }
    dlc.until @l {
    }
    dlc.times @m {
    }
  }
}
