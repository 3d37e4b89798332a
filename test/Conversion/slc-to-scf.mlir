// RUN: ember-opt %s --convert-slc-to-scf=prefetch-distance=8 --split-input-file | FileCheck %s
// RUN: ember-opt %s --convert-slc-to-scf --split-input-file | FileCheck %s --check-prefix=PLAIN

// A row is read where it lies, once its index is known to be good; what pads
// the chunk is masked off. Indices themselves are checked before the loop.

// PLAIN-NOT: memref.prefetch
// CHECK-LABEL: func.func @gather
// CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[T:arg0]], %
// CHECK-DAG: %[[COUNT:.*]] = memref.dim %[[IDX:arg1]], %
// CHECK: %[[HIGH:.*]] = arith.cmpi sle, %[[N:.*]], %[[COUNT]]
// CHECK: %[[GOOD:.*]] = arith.ori %[[HIGH]], %{{.*}}
// CHECK: scf.if %[[GOOD]] {
// CHECK-NEXT: scf.for %[[P:.*]] = %{{.*}} to %[[N]]
// CHECK-NEXT: %[[I:.*]] = memref.load %[[IDX]][%[[P]]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[P]], %c8
// CHECK: %[[NEXT:.*]] = arith.minsi %[[AHEAD]], %{{.*}}
// CHECK: memref.load %[[IDX]][%[[NEXT]]]
// CHECK-COUNT-2: memref.prefetch %[[T]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]]
// CHECK-NEXT: scf.if %[[OK]] {
// CHECK: vector.load %[[T]][%[[ROW]], %{{.*}}] : memref<?x20xf32>, vector<16xf32>
// CHECK: %[[MASK:.*]] = vector.constant_mask [4] : vector<16xi1>
// CHECK: vector.maskedload %[[T]][%[[ROW]], %{{.*}}], %[[MASK]]
// CHECK: } else {
// CHECK-NEXT: dlc.fault index_out_of_range argument "indices" (%[[P]], %[[I]], %[[ROWS]]) : index, i64, index
// CHECK: } else {
// CHECK: dlc.fault subscript_out_of_range argument "indices" (%{{.*}}, %{{.*}}, %[[COUNT]])
// CHECK-NOT: slc.
func.func @gather(%t: memref<?x20xf32>, %idx: memref<?xi64>, %out: memref<?x20xf32>, %n: index) {
  slc.launch @kernel(%t, %idx, %out, %n) : memref<?x20xf32>, memref<?xi64>, memref<?x20xf32>, index
  return
}
slc.kernel @kernel(%t: memref<?x20xf32> {ember.name = "table"}, %idx: memref<?xi64> {ember.name = "indices"}, %out: memref<?x20xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  slc.for @elems %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xi64> -> !slc.stream<i64>
    %row = slc.alu_stream index_cast %i : (!slc.stream<i64>) -> !slc.stream<index>
    %r = slc.buffer_stream %t[%row, %c0 : index] length 20 : memref<?x20xf32> -> !slc.chunk<32xf32>
    slc.callback(%at = %p : index, %c = %r : memref<32xf32, #slc.queue>) {
      %x = vector.load %c[%c0] : memref<32xf32, #slc.queue>, vector<16xf32>
      vector.store %x, %out[%at, %c0] : memref<?x20xf32>, vector<16xf32>
      %y = vector.load %c[%c16] : memref<32xf32, #slc.queue>, vector<16xf32>
      %m = vector.constant_mask [4] : vector<16xi1>
      vector.maskedstore %out[%at, %c16], %m, %y : memref<?x20xf32>, vector<16xi1>, vector<16xf32>
    }
  }
  slc.return
}

// -----

// The index of a row does not change along it: one check before the loop. A
// position in a matrix of indices counts row by row. Values carried go on
// unchanged after bad data.

// CHECK-LABEL: func.func @elements
// CHECK: %[[R:.*]] = scf.for %[[P:.*]] = {{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (i64) {
// CHECK: %[[I:.*]] = memref.load %arg1[%[[ONE:.*]], %[[P]]] : memref<2x?xindex>
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I]]
// CHECK: scf.if %[[OK]] {
// CHECK-NEXT: scf.for %[[D:.*]] =
// CHECK-NEXT: memref.load %arg0[%[[I]], %[[D]]]
// CHECK: } else {
// CHECK: %[[BASE:.*]] = arith.muli %[[ONE]], %{{.*}}
// CHECK: %[[FLAT:.*]] = arith.addi %[[BASE]], %[[P]]
// CHECK: dlc.fault index_out_of_range argument "1" (%[[FLAT]], %[[I]], %{{.*}})
func.func @elements(%t: memref<?x4xf32>, %idx: memref<2x?xindex>, %out: memref<4xf32>, %n: index) {
  slc.launch @k(%t, %idx, %out, %n) : memref<?x4xf32>, memref<2x?xindex>, memref<4xf32>, index
  return
}
slc.kernel @k(%t: memref<?x4xf32>, %idx: memref<2x?xindex>, %out: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %count = slc.for @elems %p = %c0 : index to %n : index step %c1 iter_args(%k = %zero) -> (i64) {
    %i = slc.mem_stream %idx[%c1 : index, %p] : memref<2x?xindex> -> !slc.stream<index>
    slc.for @row %d = %c0 : index to %c4 : index step %c1 {
      %x = slc.mem_stream %t[%i, %d] : memref<?x4xf32> -> !slc.stream<f32>
      slc.callback(%at = %d : index, %v = %x : f32) {
        memref.store %v, %out[%at] : memref<4xf32>
      }
    }
    %next = slc.callback -> (i64) {
      %one = arith.constant 1 : i64
      %k1 = arith.addi %k, %one : i64
      slc.yield %k1 : i64
    }
    slc.yield %next : i64
  }
  slc.return
}

// -----

// Memory of the core is memory of the function.

// CHECK-LABEL: func.func @local
// CHECK-NEXT: memref.alloca() : memref<8xf32>
func.func @local(%n: index) {
  slc.launch @kernel(%n) : index
  return
}
slc.kernel @kernel(%n: index) {
  %l = slc.local : memref<8xf32, #slc.local>
  slc.callback {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %l[%n] : memref<8xf32, #slc.local>
  }
  slc.return
}

// -----

// The check before a loop does not let through what follows the loop.

// CHECK-LABEL: func.func @tail
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I:.*]], %
// CHECK: scf.if %[[OK]] {
// CHECK: scf.for
// CHECK: vector.load %arg0[%[[I]], %
// CHECK: } else {
// CHECK: dlc.fault
// CHECK: }
// CHECK: %[[AGAIN:.*]] = arith.cmpi ult, %[[I]], %
// CHECK-NEXT: scf.if %[[AGAIN]] {
// CHECK: vector.maskedload %arg0[%[[I]], %
func.func @tail(%t: memref<?x36xf32>, %idx: memref<index>, %out: memref<36xf32>) {
  slc.launch @kernel(%t, %idx, %out) : memref<?x36xf32>, memref<index>, memref<36xf32>
  return
}
slc.kernel @kernel(%t: memref<?x36xf32>, %idx: memref<index>, %out: memref<36xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %i = slc.mem_stream %idx[] : memref<index> -> !slc.stream<index>
  slc.for @row %d = %c0 : index to %c32 : index step %c16 {
    %x = slc.mem_stream %t[%i, %d] : memref<?x36xf32> -> !slc.stream<vector<16xf32>>
    slc.callback(%at = %d : index, %v = %x : vector<16xf32>) {
      vector.store %v, %out[%at] : memref<36xf32>, vector<16xf32>
    }
  }
  %x = slc.mem_stream %t[%i, %c32 : index] valid 4 : memref<?x36xf32> -> !slc.stream<vector<16xf32>>
  slc.callback(%v = %x : vector<16xf32>) {
    %m = vector.constant_mask [4] : vector<16xi1>
    vector.maskedstore %out[%c32], %m, %v : memref<36xf32>, vector<16xi1>, vector<16xf32>
  }
  slc.return
}

// -----

// Long rows are prefetched by a loop.

// CHECK-LABEL: func.func @long_rows
// CHECK: scf.for
// CHECK: scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: memref.prefetch %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK-NEXT: }
func.func @long_rows(%t: memref<?x4096xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  slc.launch @kernel(%t, %idx, %out, %n) : memref<?x4096xf32>, memref<?xindex>, memref<?xf32>, index
  return
}
slc.kernel @kernel(%t: memref<?x4096xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @rows %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %row = slc.buffer_stream %t[%i, %c0 : index] length 4096 : memref<?x4096xf32> -> !slc.chunk<4096xf32>
    slc.callback(%r = %row : memref<4096xf32, #slc.queue>, %at = %p : index) {
      %x = memref.load %r[%c1] : memref<4096xf32, #slc.queue>
      memref.store %x, %out[%at] : memref<?xf32>
    }
  }
  slc.return
}

// -----

// Store streams are checked like loads. A row is copied from where it lies.

// CHECK-LABEL: func.func @stores(
// CHECK-SAME: %[[T:.*]]: memref<?x100xf32>, %{{.*}}: memref<?xindex>, %[[OUT:.*]]: memref<?x100xf32>
// CHECK: scf.for %[[P:.*]] = %{{.*}} to
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[P]], %[[ROWS:.*]] : index
// CHECK-NEXT: scf.if %[[OK]] {
// CHECK: scf.for %[[D:.*]] = %c0{{.*}} to %c100{{.*}} step
// CHECK: %[[X:.*]] = memref.load %[[T]][%{{.*}}, %{{.*}}]
// CHECK: memref.store %[[X]], %[[OUT]][%[[P]], %{{.*}}]
// CHECK: vector.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<16xf32>, vector<16xf32>
// CHECK: vector.maskedstore
// CHECK: memref.store %{{.*}}, %{{.*}}[] : memref<index>
// CHECK: } else {
// CHECK: dlc.fault subscript_out_of_range argument "2" (%c0{{.*}}, %{{.*}}, %[[ROWS]])
func.func @stores(%t: memref<?x100xf32>, %idx: memref<?xindex>, %out: memref<?x100xf32>,
                  %v: memref<16xf32>, %w: memref<16xf32>, %last: memref<index>, %n: index) {
  slc.launch @kernel(%t, %idx, %out, %v, %w, %last, %n) : memref<?x100xf32>, memref<?xindex>, memref<?x100xf32>, memref<16xf32>, memref<16xf32>, memref<index>, index
  return
}
slc.kernel @kernel(%t: memref<?x100xf32>, %idx: memref<?xindex>, %out: memref<?x100xf32>,
                   %v: memref<16xf32>, %w: memref<16xf32>, %last: memref<index>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @rows %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %idx[%p] : memref<?xindex> -> !slc.stream<index>
    %r = slc.buffer_stream %t[%i, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
    slc.store_stream %r, %out[%p, %c0 : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
    %x = slc.mem_stream %t[%i, %c0 : index] : memref<?x100xf32> -> !slc.stream<vector<16xf32>>
    slc.store_stream %x, %v[%c0 : index] : !slc.stream<vector<16xf32>>, memref<16xf32>
    slc.store_stream %x, %w[%c0 : index] length 4 : !slc.stream<vector<16xf32>>, memref<16xf32>
    slc.store_stream %i, %last[] : !slc.stream<index>, memref<index>
  }
  slc.return
}

// -----

// A row that two indices decide is not prefetched: when the first is known, the
// second is not.

// CHECK-LABEL: func.func @two_indices
// CHECK-NOT: memref.prefetch
func.func @two_indices(%t: memref<?x16xf32>, %a: memref<?xindex>, %b: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  slc.launch @kernel(%t, %a, %b, %out, %n) : memref<?x16xf32>, memref<?xindex>, memref<?xindex>, memref<?xf32>, index
  return
}
slc.kernel @kernel(%t: memref<?x16xf32>, %a: memref<?xindex>, %b: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @rows %p = %c0 : index to %n : index step %c1 {
    %i = slc.mem_stream %a[%p] : memref<?xindex> -> !slc.stream<index>
    %j = slc.mem_stream %b[%p] : memref<?xindex> -> !slc.stream<index>
    %k = slc.alu_stream min %i, %j : (!slc.stream<index>, !slc.stream<index>) -> !slc.stream<index>
    %row = slc.buffer_stream %t[%k, %c0 : index] length 16 : memref<?x16xf32> -> !slc.chunk<16xf32>
    slc.callback(%r = %row : memref<16xf32, #slc.queue>, %at = %p : index) {
      %x = memref.load %r[%c1] : memref<16xf32, #slc.queue>
      memref.store %x, %out[%at] : memref<?xf32>
    }
  }
  slc.return
}
