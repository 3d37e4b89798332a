// RUN: ember-opt %s --slc-align-queues | FileCheck %s

// CHECK-LABEL: slc.kernel @kinds
slc.kernel @kinds(%t: memref<?x64xf32>, %idx: memref<?xindex>, %w: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  slc.for @bags %b = %c0 : index to %n : index step %c1 {
    %twice = slc.alu_stream mul %b, %c2 : (!slc.stream<index>, index) -> !slc.stream<index>
    %square = slc.alu_stream mul %b, %b : (!slc.stream<index>, !slc.stream<index>) -> !slc.stream<index>
    %lo = slc.mem_stream %idx[%b] : memref<?xindex> -> !slc.stream<index>
    // The core counts bags, and what is affine in their number; a square is not.
    // CHECK: slc.callback({{.*}}) queues [core, core, scalar] {
    slc.callback(%0 = %b : index, %1 = %twice : index, %2 = %square : index) {
    }
    slc.for @elems %p = %lo to %n : index step %c1 {
      %x = slc.mem_stream %w[%p] : memref<?xf32> -> !slc.stream<f32>
      %v = slc.mem_stream %t[%p, %c0 : index] : memref<?x64xf32> -> !slc.stream<vector<16xf32>>
      %r = slc.buffer_stream %t[%p, %c0 : index] length 64 : memref<?x64xf32> -> !slc.chunk<64xf32>
      // The access unit alone knows where this loop starts.
      // CHECK: slc.callback({{.*}}) queues [scalar, scalar, data, data] {
      slc.callback(%0 = %p : index, %1 = %x : f32, %2 = %v : vector<16xf32>, %3 = %r : memref<64xf32, #slc.queue>) {
      }
    }
    slc.for @filtered %p = %c0 : index to %n : index step %c1 {
      %x = slc.mem_stream %w[%p] : memref<?xf32> -> !slc.stream<f32>
      %k = slc.alu_stream ne %p, %lo : (!slc.stream<index>, !slc.stream<index>) -> !slc.stream<i1>
      slc.if %k {
        // The core does not see the iterations that were left out.
        // CHECK: slc.callback({{.*}}) queues [scalar, scalar] {
        slc.callback(%0 = %p : index, %1 = %x : f32) {
        }
      }
    }
  }
  slc.return
}

// A short row keeps its scalars: its reads do not bind, a second queue costs a
// release. Narrow elements are short for longer.
// CHECK-LABEL: slc.kernel @short_rows
slc.kernel @short_rows(%t: memref<?x48xf32>, %h: memref<?x256xbf16>, %w: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @rows %b = %c0 : index to %n : index step %c1 {
    %x = slc.mem_stream %w[%b] : memref<?xf32> -> !slc.stream<f32>
    %r = slc.buffer_stream %t[%b, %c0 : index] length 48 : memref<?x48xf32> -> !slc.chunk<48xf32>
    // CHECK: slc.callback({{.*}}) queues [data, data] {
    slc.callback(%0 = %x : f32, %1 = %r : memref<48xf32, #slc.queue>) {
    }
    %s = slc.buffer_stream %h[%b, %c0 : index] length 240 : memref<?x256xbf16> -> !slc.chunk<240xbf16>
    // CHECK: slc.callback({{.*}}) queues [data, data] {
    slc.callback(%0 = %x : f32, %1 = %s : memref<240xbf16, #slc.queue>) {
    }
    %u = slc.buffer_stream %h[%b, %c0 : index] length 256 : memref<?x256xbf16> -> !slc.chunk<256xbf16>
    // CHECK: slc.callback({{.*}}) queues [scalar, data] {
    slc.callback(%0 = %x : f32, %1 = %u : memref<256xbf16, #slc.queue>) {
    }
  }
  slc.return
}
