// RUN: ember-opt %s --dlc-split --split-input-file | FileCheck %s

// Steps and sizes that are not known to be good are checked, and a bad one does
// no harm: the loop does not run, the buffer is empty.

// CHECK-LABEL: module @host attributes {dlc.sites = [
// CHECK-SAME: #dlc.site<kind = loop_step, function = "steps", argument = "",
// CHECK-SAME: #dlc.site<kind = loop_step, function = "steps", argument = "l1",
// CHECK: func.func @steps(%{{.*}}: !llvm.ptr, %[[OUT:.*]]: memref<?xi32>, %[[N:.*]]: index, %[[S:.*]]: index, %[[NARROW:.*]]: i32)
// CHECK: %[[BAD:.*]] = arith.cmpi sle, %[[S]], %[[ZERO:.*]] : index
// CHECK-NEXT: scf.if %[[BAD]] {
// CHECK-NEXT: dlc.fault loop_step argument "" (%[[ZERO]], %[[S]], %[[ONE:.*]]) site 0
// CHECK: %[[END:.*]] = arith.select %[[BAD]], %[[C0:.*]], %[[N]]
// CHECK: %[[STEP:.*]] = arith.maxsi %[[S]], %[[ONE]]
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[END]] step %[[STEP]] {
// CHECK: %[[BAD:.*]] = arith.cmpi ule, %[[NARROW]], %{{.*}} : i32
// CHECK: dlc.fault loop_step argument "l1" {{.*}} site 1
// CHECK: arith.maxui %[[NARROW]]
// A loop with a good step is left alone.
// CHECK-NOT: dlc.fault
// CHECK: scf.for %{{.*}} = %[[C0]] to %[[N]] step %c2
func.func @steps(%out: memref<?xi32>, %n: index, %s: index, %narrow: i32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %s {
    memref.store %zero, %out[%i] : memref<?xi32>
  }
  scf.for unsigned %i = %zero to %narrow step %narrow : i32 {
    memref.store %i, %out[%c0] : memref<?xi32>
  } {ember.label = "l1"}
  scf.for %i = %c0 to %n step %c2 {
    memref.store %zero, %out[%i] : memref<?xi32>
  }
  return
}

// -----

// CHECK: dlc.sites = [#dlc.site<kind = negative_size, function = "sizes", argument = "",
// CHECK: func.func @sizes(%{{.*}}: !llvm.ptr, %[[IN:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK: %[[BAD:.*]] = arith.cmpi slt, %[[N]], %[[ZERO:.*]] : index
// CHECK: %[[DIMENSION:.*]] = arith.constant 2 : index
// CHECK: scf.if %[[BAD]] {
// CHECK-NEXT: dlc.fault negative_size argument "" (%[[DIMENSION]], %[[N]], %[[ZERO]]) site 0
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[N]], %[[ZERO]]
// CHECK: memref.alloc(%{{.*}}, %[[SIZE]]) : memref<?x4x?xf32>
// CHECK-NOT: dlc.fault
// CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @sizes(%in: memref<?xf32>, %n: index) -> (memref<?x4x?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %in, %c0 : memref<?xf32>
  %a = memref.alloc(%d, %n) : memref<?x4x?xf32>
  %d1 = arith.addi %d, %c1 : index
  %least = arith.maxsi %n, %c0 : index
  %sum = arith.addi %d1, %least : index
  %b = memref.alloc(%sum) : memref<?xf32>
  return %a, %b : memref<?x4x?xf32>, memref<?xf32>
}

// -----

// Code of the core is checked too, and named by the function that launches it.

// CHECK: module @host attributes {dlc.sites = [#dlc.site<kind = loop_step, function = "caller", argument = "",
// CHECK-LABEL: module @access
// CHECK: func.func @k_access
// CHECK-SAME: #dlc.site<kind = loop_step, function = "caller", argument = "outer",
// CHECK-SAME: passthrough = {{\[\[}}"ember-function", "caller"]]
// CHECK-LABEL: module @execute
// CHECK: func.func @k_execute
// CHECK: dlc.repeat @outer
// CHECK: dlc.fault loop_step argument "" {{.*}} site 0
func.func @caller(%in: memref<?xf32>, %n: index, %s: index) {
  dlc.launch @k(%in, %n, %s) : memref<?xf32>, index, index
  return
}
dlc.kernel @k(%in: memref<?xf32>, %n: index, %s: index)
    queues <data = 64, scalar = 64, token = 64> {
  %c0 = arith.constant 0 : index
  dlc.access {
    dlc.loop @outer %i = %c0 to %n step %s counted {
      %x = dlc.mem %in[%i] : memref<?xf32> -> f32
      dlc.push data, %x : f32
    }
  }
  dlc.execute {
    dlc.repeat @outer %i = %c0 to %n step %s {
      dlc.take(%x : f32 from data) {
        scf.for %j = %c0 to %n step %s {
        }
      }
    }
  }
}
