// RUN: ember-opt %s --slc-split-cores --verify-diagnostics --split-input-file | FileCheck %s

#four = #dlc.target<machine = "four", cores = 4, vector_bits = 512,
    access_unit = true, lanes = 8, layers = 4, storage_bytes = 2048,
    data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true,
    store = true, bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
    cpu = "x86-64-v4", features = "">

// By iterations: 4 parts of n / 4, the first n % 4 of them one longer.
module attributes {dlc.target = #four} {
  // CHECK-LABEL: func.func @gather
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: call @copy_core(%[[ZERO]], %{{.*}}) {dlc.cores = 4 : i64}
  func.func @gather(%rows: memref<?xindex>, %out: memref<?xindex>, %n: index) {
    slc.launch @copy(%rows, %out, %n) : memref<?xindex>, memref<?xindex>, index
    return
  }
  // CHECK: func.func private @copy_core(%[[CORE:.*]]: index, %[[ROWS:.*]]: memref<?xindex>, %[[OUT:.*]]: memref<?xindex>, %[[N:.*]]: index) attributes {dlc.user = "gather"}
  // CHECK: %[[END:.*]] = arith.maxsi %{{.*}}, %[[N]]
  // CHECK: %[[COUNT:.*]] = arith.subi %[[END]]
  // CHECK: %[[EACH:.*]] = arith.divui %[[COUNT]], %c4
  // CHECK: %[[REST:.*]] = arith.remui %[[COUNT]], %c4
  // CHECK: arith.minsi %[[CORE]], %[[REST]]
  // CHECK: arith.muli %[[EACH]], %[[CORE]]
  // CHECK: slc.launch @copy(%[[ROWS]], %[[OUT]], %[[N]], %{{.*}}, %{{.*}})
  // CHECK: slc.kernel @copy(%{{.*}}, %[[FIRST:.*]]: index, %[[LAST:.*]]: index)
  // CHECK: slc.for @rows %{{.*}} = %[[FIRST]] : index to %[[LAST]] : index step %{{.*}} parallel
  slc.kernel @copy(%rows: memref<?xindex>, %out: memref<?xindex>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    slc.for @rows %p = %c0 : index to %n : index step %c1 parallel {
      %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
      slc.callback(%iv = %i : index, %pv = %p : index) {
        memref.store %iv, %out[%pv] : memref<?xindex>
      }
    }
    slc.return
  }
}

// -----

#three = #dlc.target<machine = "three", cores = 3, vector_bits = 512,
    access_unit = false, lanes = 8, layers = 4, storage_bytes = 2048,
    data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true,
    store = true, bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
    cpu = "x86-64-v4", features = "">

// By the offsets that bound the inner loop: two halvings for three cores. Both
// launches share the function.
module attributes {dlc.target = #three} {
  // CHECK-LABEL: func.func @sums
  // CHECK-COUNT-2: call @sum_core({{.*}}) {dlc.cores = 3 : i64}
  func.func @sums(%off: memref<?xi32>, %x: memref<?xindex>, %out: memref<?xindex>, %n: index) {
    slc.launch @sum(%off, %x, %out, %n) : memref<?xi32>, memref<?xindex>, memref<?xindex>, index
    slc.launch @sum(%off, %x, %out, %n) : memref<?xi32>, memref<?xindex>, memref<?xindex>, index
    return
  }
  // CHECK: func.func private @sum_core(%[[CORE:.*]]: index, %[[OFF:.*]]: memref<?xi32>,
  // CHECK: memref.dim %[[OFF]]
  // CHECK: scf.if
  // CHECK: memref.load %[[OFF]]
  // CHECK: memref.load %[[OFF]]
  // CHECK: arith.divui %{{.*}}, %c3
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2
  // CHECK: scf.while
  // CHECK: memref.load %[[OFF]]
  // CHECK: } else {
  // CHECK: arith.remui
  // CHECK: slc.launch @sum(
  // CHECK-NOT: func.func private
  slc.kernel @sum(%off: memref<?xi32>, %x: memref<?xindex>, %out: memref<?xindex>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    slc.for @bags %b = %c0 : index to %n : index step %c1 parallel {
      %p0 = slc.mem_stream %off[%b] : memref<?xi32> -> !slc.stream<i32>
      %p1 = slc.alu_stream index_cast %p0 : (!slc.stream<i32>) -> !slc.stream<index>
      %next = slc.alu_stream add %b, %c1 : (!slc.stream<index>, index) -> !slc.stream<index>
      %q0 = slc.mem_stream %off[%next] : memref<?xi32> -> !slc.stream<i32>
      %q1 = slc.alu_stream index_cast %q0 : (!slc.stream<i32>) -> !slc.stream<index>
      slc.for @elems %p = %p1 to %q1 step %c1 {
        %v = slc.mem_stream %x[%p] : memref<?xindex> -> !slc.stream<index>
        slc.callback(%vv = %v : index, %bv = %b : index) {
          memref.store %vv, %out[%bv] : memref<?xindex>
        }
      }
    }
    slc.return
  }
}

// -----

#four = #dlc.target<machine = "four", cores = 4, vector_bits = 512,
    access_unit = true, lanes = 8, layers = 4, storage_bytes = 2048,
    data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true,
    store = true, bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
    cpu = "x86-64-v4", features = "">

// What is not known to be independent stays on one core.
module attributes {dlc.target = #four} {
  // CHECK-LABEL: func.func @last
  // CHECK: slc.launch @dependent(
  // CHECK-NOT: func.func
  func.func @last(%x: memref<?xindex>, %out: memref<1xindex>, %n: index) {
    slc.launch @dependent(%x, %out, %n) : memref<?xindex>, memref<1xindex>, index
    return
  }
  // expected-remark @+1 {{runs on one core: it is not one loop with a step of 1 whose iterations are known to be independent}}
  slc.kernel @dependent(%x: memref<?xindex>, %out: memref<1xindex>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    slc.for @elems %p = %c0 : index to %n : index step %c1 {
      %v = slc.mem_stream %x[%p] : memref<?xindex> -> !slc.stream<index>
      slc.callback(%vv = %v : index) {
        memref.store %vv, %out[%c0] : memref<1xindex>
      }
    }
    slc.return
  }
}
