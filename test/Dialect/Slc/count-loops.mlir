// RUN: ember-opt %s --slc-count-loops | FileCheck %s

// CHECK-LABEL: slc.kernel @loops
slc.kernel @loops(%off: memref<?xindex>, %idx: memref<?xindex>, %x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // Both sides know the bounds of the outermost loop anyway.
  // CHECK: slc.for @bags %{{.*}} = %{{.*}} step %{{[^ ]*}} {
  slc.for @bags %b = %c0 : index to %n : index step %c1 {
    %end = slc.mem_stream %off[%b] : memref<?xindex> -> !slc.stream<index>
    // CHECK: slc.for @elems {{.*}} counted {
    slc.for @elems %p = %c0 : index to %end step %c1 {
      %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
      slc.callback(%0 = %v : f32) {
      }
    }
    // Known bounds, so any step will do.
    // CHECK: slc.for @pairs {{.*}} counted {
    slc.for @pairs %p = %c0 : index to %n : index step %c2 {
      %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
      slc.callback(%0 = %v : f32) {
      }
    }
    // The access unit does not divide.
    // CHECK: slc.for @strided {{.*}} step %{{[^ ]*}} {
    slc.for @strided %p = %c0 : index to %end step %c2 {
      %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
      slc.callback(%0 = %v : f32) {
      }
    }
    // Iterations are left out, so the bounds do not tell how many there are.
    // CHECK: slc.for @filtered {{.*}} step %{{[^ ]*}} {
    slc.for @filtered %p = %c0 : index to %end step %c1 {
      %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
      %keep = slc.alu_stream ne %i, %n : (!slc.stream<index>, index) -> !slc.stream<i1>
      slc.if %keep {
        %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
        slc.callback(%0 = %v : f32) {
        }
      }
    }
  }
  slc.return
}
