// RUN: ember-opt %s | ember-opt | FileCheck %s
// RUN: ember-opt %s --mlir-print-op-generic | ember-opt | FileCheck %s

// A weighted bag with padding, as chunks: every operation once.

// CHECK-LABEL: slc.kernel @bag(
// CHECK-SAME: %{{.*}}: memref<?x100xf32> {ember.name = "table"}
slc.kernel @bag(%table: memref<?x100xf32> {ember.name = "table"},
                %idx: memref<?xi64>, %off: memref<?xindex>, %wt: memref<?xf32>,
                %out: memref<?x100xf32>, %bags: index, %pad: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  // CHECK: slc.local : memref<100xf32, #slc.local>
  %acc = slc.local : memref<100xf32, #slc.local>
  // CHECK: slc.for @bags %[[B:.*]] = %{{.*}} : index to %{{.*}} : index step %{{.*}} parallel {
  slc.for @bags %b = %c0 : index to %bags : index step %c1 parallel {
    // CHECK: %[[LO:.*]] = slc.mem_stream %{{.*}}[%[[B]]] : memref<?xindex> -> !slc.stream<index>
    %lo = slc.mem_stream %off[%b] : memref<?xindex> -> !slc.stream<index>
    // CHECK: slc.alu_stream add %[[B]], %{{.*}} : (!slc.stream<index>, index) -> !slc.stream<index>
    %b1 = slc.alu_stream add %b, %c1 : (!slc.stream<index>, index) -> !slc.stream<index>
    %hi = slc.mem_stream %off[%b1] : memref<?xindex> -> !slc.stream<index>
    // CHECK: slc.for @elems %{{.*}} = %[[LO]] to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i64) {
    %n = slc.for @elems %p = %lo to %hi step %c1 iter_args(%k = %zero) -> (i64) {
      %i = slc.mem_stream %idx[%p] : memref<?xi64> -> !slc.stream<i64>
      %keep = slc.alu_stream ne %i, %pad : (!slc.stream<i64>, i64) -> !slc.stream<i1>
      %row = slc.alu_stream index_cast %i : (!slc.stream<i64>) -> !slc.stream<index>
      // CHECK: slc.if %{{.*}} -> (i64) {
      %n1 = slc.if %keep -> (i64) {
        %w = slc.mem_stream %wt[%p] : memref<?xf32> -> !slc.stream<f32>
        // CHECK: slc.buffer_stream %{{.*}}[%{{.*}}, %{{.*}} : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
        %r = slc.buffer_stream %table[%row, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
        // CHECK: slc.callback(%{{.*}} = %{{.*}} : f32, %{{.*}} = %{{.*}} : memref<112xf32, #slc.queue>) queues [scalar, data] -> (i64) {
        %m = slc.callback(%ws = %w : f32, %c = %r : memref<112xf32, #slc.queue>) queues [scalar, data] -> i64 {
          %one = arith.constant 1 : i64
          %k1 = arith.addi %k, %one : i64
          slc.yield %k1 : i64
        }
        slc.yield %m : i64
      // CHECK: } else {
      } else {
        slc.yield %k : i64
      }
      slc.yield %n1 : i64
    }
    // CHECK: slc.mem_stream %{{.*}}[%{{.*}}, %{{.*}} : index] valid 4 : memref<?x100xf32> -> !slc.stream<vector<16xf32>>
    %tail = slc.mem_stream %table[%b, %c0 : index] valid 4 : memref<?x100xf32> -> !slc.stream<vector<16xf32>>
    // CHECK: slc.callback {
    slc.callback {
      memref.copy %acc, %acc : memref<100xf32, #slc.local> to memref<100xf32, #slc.local>
    }
  }
  // CHECK: slc.return
  slc.return
}

// CHECK-LABEL: slc.kernel @scalar
slc.kernel @scalar(%x: memref<f32>, %out: memref<f32>) {
  // CHECK: slc.mem_stream %{{.*}}[] : memref<f32> -> !slc.stream<f32>
  %s = slc.mem_stream %x[] : memref<f32> -> !slc.stream<f32>
  slc.callback(%v = %s : f32) {
    memref.store %v, %out[] : memref<f32>
  }
  slc.return
}

// CHECK-LABEL: func.func @host
func.func @host(%x: memref<f32>, %out: memref<f32>) {
  // CHECK: slc.launch @scalar(%{{.*}}, %{{.*}}) : memref<f32>, memref<f32>
  slc.launch @scalar(%x, %out) : memref<f32>, memref<f32>
  return
}

// CHECK-LABEL: slc.kernel @stores
slc.kernel @stores(%t: memref<?x100xf32>, %idx: memref<?xindex>, %rows: memref<?x100xf32>,
                   %x: memref<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %r = slc.buffer_stream %t[%i, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
    // CHECK: slc.store_stream %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}} : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
    slc.store_stream %r, %rows[%p, %c0 : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
    %v = slc.mem_stream %t[%i, %c0 : index] : memref<?x100xf32> -> !slc.stream<vector<16xf32>>
    // CHECK: slc.store_stream %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}} : index] : !slc.stream<vector<16xf32>>, memref<?x100xf32>
    slc.store_stream %v, %rows[%i, %c0 : index] : !slc.stream<vector<16xf32>>, memref<?x100xf32>
    // CHECK: slc.store_stream %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}} : index] length 100 : f32, memref<?x100xf32>
    slc.store_stream %zero, %rows[%i, %c0 : index] length 100 : f32, memref<?x100xf32>
    %s = slc.mem_stream %t[%i, %c1 : index] : memref<?x100xf32> -> !slc.stream<f32>
    // CHECK: slc.store_stream %{{.*}}, %{{.*}}[] : !slc.stream<f32>, memref<f32>
    slc.store_stream %s, %x[] : !slc.stream<f32>, memref<f32>
  }
  slc.return
}
