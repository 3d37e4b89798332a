// RUN: ember-opt %s --convert-slc-to-dlc --split-input-file | FileCheck %s

#target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 1024, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">

module attributes {dlc.target = #target} {

// The outermost loop is counted on both sides; the inner one sends tokens, and
// only for what the filter keeps.

// CHECK-LABEL: dlc.kernel @bag(
// CHECK-SAME: {ember.name = "table"}
// CHECK-SAME: queues <data = 16384, scalar = 2048, token = 1024> {
// CHECK: dlc.access {
// CHECK-NEXT: dlc.loop @bags %[[B:.*]] = %c0 to %[[N:.*]] step %c1 counted {
// CHECK-NEXT: %[[P0:.*]] = dlc.mem %{{.*}}[%[[B]]]
// CHECK-NEXT: %[[B1:.*]] = arith.addi %[[B]], %c1 : index
// CHECK-NEXT: %[[P1:.*]] = dlc.mem %{{.*}}[%[[B1]]]
// CHECK-NEXT: dlc.push data, %[[B]] : index
// CHECK-NEXT: dlc.loop @elems %[[P:.*]] = %[[P0]] to %[[P1]] step %c1 until {
// CHECK-NEXT: %[[I:.*]] = dlc.mem %{{.*}}[%[[P]]] : memref<?xi64> -> i64
// CHECK-NEXT: %[[KEEP:.*]] = arith.cmpi ne, %[[I]], %{{.*}} : i64
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK-NEXT: dlc.if %[[KEEP]] filter {
// CHECK-NEXT: %[[R:.*]] = dlc.mem %{{.*}}[%[[ROW]], %c0] valid 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
// CHECK-NEXT: dlc.push data, %[[R]] : !slc.chunk<112xf32>
// CHECK: dlc.execute {
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<100xf32, #slc.local>
// CHECK-NEXT: dlc.repeat @bags %{{.*}} = %c0 to %[[N]] step %c1 {
// CHECK-NEXT: %[[AT:.*]] = dlc.take(%[[BAG:.*]]: index from data) -> (index) {
// CHECK-NEXT: dlc.yield %[[BAG]] : index
// CHECK: %[[COUNT:.*]] = dlc.until @elems iter_args(%[[K:.*]] = %{{.*}}) -> (i64) {
// CHECK-NEXT: %[[NEXT:.*]] = dlc.take(%[[CHUNK:.*]]: memref<112xf32, #slc.queue> from data) -> (i64) {
// CHECK: memref.load %[[CHUNK]]
// CHECK: arith.addi %[[K]],
// CHECK: dlc.yield %[[NEXT]] : i64
// What takes nothing stands by itself.
// CHECK: memref.store %[[COUNT]], %{{.*}}[%[[AT]]]
// CHECK: func.func @host
// CHECK: dlc.launch @bag(
slc.kernel @bag(%table: memref<?x100xf32> {ember.name = "table"}, %indices: memref<?xi64>, %offsets: memref<?xindex>,
                %out: memref<?xi64>, %n: index, %pad: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %local = slc.local : memref<100xf32, #slc.local>
  slc.for @bags %b = %c0 : index to %n : index step %c1 {
    %p0 = slc.mem_stream %offsets[%b] : memref<?xindex> -> !slc.stream<index>
    %b1 = slc.alu_stream add %b, %c1 : (!slc.stream<index>, index) -> !slc.stream<index>
    %p1 = slc.mem_stream %offsets[%b1] : memref<?xindex> -> !slc.stream<index>
    %at = slc.callback(%bag = %b : index) -> (index) {
      slc.yield %bag : index
    }
    %count = slc.for @elems %p = %p0 to %p1 step %c1 iter_args(%k = %zero) -> (i64) {
      %i = slc.mem_stream %indices[%p] : memref<?xi64> -> !slc.stream<i64>
      %keep = slc.alu_stream ne %i, %pad : (!slc.stream<i64>, i64) -> !slc.stream<i1>
      %row = slc.alu_stream index_cast %i : (!slc.stream<i64>) -> !slc.stream<index>
      %next = slc.if %keep -> (i64) {
        %r = slc.buffer_stream %table[%row, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
        %m = slc.callback(%c = %r : memref<112xf32, #slc.queue>) -> (i64) {
          %x = memref.load %c[%c0] : memref<112xf32, #slc.queue>
          memref.store %x, %local[%c0] : memref<100xf32, #slc.local>
          %k1 = arith.addi %k, %one : i64
          slc.yield %k1 : i64
        }
        slc.yield %m : i64
      } else {
        slc.yield %k : i64
      }
      slc.yield %next : i64
    }
    slc.callback {
      memref.store %count, %out[%at] : memref<?xi64>
    }
  }
  slc.return
}

func.func @host(%table: memref<?x100xf32>, %indices: memref<?xi64>, %offsets: memref<?xindex>,
                %out: memref<?xi64>, %n: index, %pad: i64) {
  slc.launch @bag(%table, %indices, %offsets, %out, %n, %pad) : memref<?x100xf32>, memref<?xi64>, memref<?xindex>, memref<?xi64>, index, i64
  return
}
}

// -----

// Level 3: scalars take their own queue, and the core computes what follows from
// counters that it keeps. A loop whose counter it keeps sends every iteration,
// so its choice sends a flag.

#target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 1024, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">

module attributes {dlc.target = #target} {
// CHECK-LABEL: dlc.kernel @aligned(
// CHECK: dlc.loop @rows %[[I:.*]] = {{.*}} counted {
// CHECK-NEXT: %[[W:.*]] = dlc.mem
// CHECK-NEXT: dlc.push scalar, %[[W]] : f32
// CHECK: dlc.loop @columns %[[J:.*]] = {{.*}} until {
// CHECK-NEXT: %[[M:.*]] = dlc.mem
// CHECK-NEXT: dlc.if %[[M]] flag {
// CHECK-NOT: push
// CHECK: } else {
// CHECK-NEXT: dlc.push data, %{{.*}} : f32
// CHECK: dlc.execute {
// CHECK-NEXT: dlc.repeat @rows %[[I:.*]] = {{.*}} {
// CHECK: dlc.take(%{{.*}}: f32 from scalar)
// CHECK: dlc.until @columns iter_args(%[[J:.*]] = %c0) -> (index) {
// CHECK-NEXT: dlc.when {
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[J]], %{{.*}} : index
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[AT]]]
// CHECK: } else {
// CHECK-NEXT: dlc.take(%[[X:.*]]: f32 from data) {
// CHECK-NEXT: memref.store %[[X]], %{{.*}}[%[[I]], %[[J]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %c1 : index
// CHECK: dlc.yield %[[NEXT]] : index
slc.kernel @aligned(%w: memref<?xf32>, %m: memref<?xi1>, %out: memref<?x8xf32>, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  slc.for @rows %i = %c0 : index to %n : index step %c1 {
    %x = slc.mem_stream %w[%i] : memref<?xf32> -> !slc.stream<f32>
    slc.callback(%v = %x : f32) queues [scalar] {
      memref.store %v, %out[%c0, %c0] : memref<?x8xf32>
    }
    slc.for @columns %j = %c0 : index to %c8 : index step %c1 {
      %b = slc.mem_stream %m[%j] : memref<?xi1> -> !slc.stream<i1>
      slc.if %b {
        %jk = slc.alu_stream add %j, %k : (!slc.stream<index>, index) -> !slc.stream<index>
        slc.callback(%row = %i : index, %at = %jk : index) queues [core, core] {
          memref.store %zero, %out[%row, %at] : memref<?x8xf32>
        }
      } else {
        slc.callback(%row = %i : index, %at = %j : index, %v = %x : f32) queues [core, core, data] {
          memref.store %v, %out[%row, %at] : memref<?x8xf32>
        }
      }
    }
  }
  slc.return
}
}

// -----

// What only stores concerns the access unit alone: its loops and choices stay
// silent, also beside a filter.

#target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">
module attributes {dlc.target = #target} {
// CHECK-LABEL: dlc.kernel @stores(
// CHECK: dlc.access {
// CHECK-NEXT: dlc.loop @bags {{.*}} counted {
// CHECK: dlc.loop @elems %[[P:.*]] = {{.*}} counted {
// CHECK: dlc.if %[[KEEP:.*]] {
// CHECK: dlc.store %{{.*}}, %{{.*}}[%[[P]], %c0] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: dlc.store %{{.*}}, %{{.*}}[%[[P]], %c0] length 100 : f32, memref<?x100xf32>
// CHECK: dlc.loop @again %[[P:.*]] = {{.*}} until {
// CHECK: dlc.store %{{.*}}, %{{.*}}[%[[P]]] : index, memref<?xindex>
// CHECK: dlc.if %{{.*}} filter {
// CHECK: dlc.push data
// CHECK: dlc.execute {
// CHECK-NEXT: dlc.repeat @bags
// CHECK-NEXT: dlc.until @again
// CHECK-NEXT: dlc.take
slc.kernel @stores(%t: memref<?x100xf32>, %off: memref<?xindex>, %idx: memref<?xindex>,
                   %out: memref<?x100xf32>, %kept: memref<?xindex>, %last: memref<index>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  slc.for @bags %b = %c0 : index to %n : index step %c1 {
    %lo = slc.mem_stream %off[%b] : memref<?xindex> -> !slc.stream<index>
    %b1 = slc.alu_stream add %b, %c1 : (!slc.stream<index>, index) -> !slc.stream<index>
    %hi = slc.mem_stream %off[%b1] : memref<?xindex> -> !slc.stream<index>
    slc.for @elems %p = %lo to %hi step %c1 {
      %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
      %keep = slc.alu_stream sge %i, %c0 : (!slc.stream<index>, index) -> !slc.stream<i1>
      slc.if %keep {
        %r = slc.buffer_stream %t[%i, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
        slc.store_stream %r, %out[%p, %c0 : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
      } else {
        slc.store_stream %zero, %out[%p, %c0 : index] length 100 : f32, memref<?x100xf32>
      }
    }
    slc.for @again %p = %lo to %hi step %c1 {
      %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
      %keep = slc.alu_stream sge %i, %c0 : (!slc.stream<index>, index) -> !slc.stream<i1>
      slc.store_stream %i, %kept[%p] : !slc.stream<index>, memref<?xindex>
      slc.if %keep {
        slc.callback(%v = %i : index) {
          memref.store %v, %last[] : memref<index>
        }
      }
    }
  }
  slc.return
}
}
