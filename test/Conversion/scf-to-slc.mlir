// RUN: ember-opt %s --convert-scf-to-slc --split-input-file --verify-diagnostics | FileCheck %s
// RUN: ember-opt %s --convert-scf-to-slc --split-input-file --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Sum bag: offsets, indices and rows are streamed; out, which the nest writes,
// stays with the core. The counter of bags is sent once a bag.

// CHECK-LABEL: func.func @bag
// CHECK-NOT: scf.for
// CHECK: slc.launch @bag_kernel(
// CHECK: slc.kernel @bag_kernel(%[[BAGS:.*]]: index, %[[OUT:.*]]: memref<?x64xf32> {ember.name = "result"}, %[[OFF:.*]]: memref<?xi64> {ember.name = "offsets"}, %[[IDX:.*]]: memref<?xi64> {ember.name = "indices"}, %[[TABLE:.*]]: memref<?x64xf32> {ember.name = "table"})
// CHECK: slc.for @l0 %[[B:.*]] = %{{.*}} : index to %[[BAGS]] : index step %{{.*}} parallel {
// CHECK-DAG: %[[LO:.*]] = slc.mem_stream %[[OFF]][%[[B]]]
// CHECK-DAG: %[[BEGIN:.*]] = slc.alu_stream index_cast %[[LO]]
// CHECK-DAG: %[[B1:.*]] = slc.alu_stream add %[[B]], %{{.*}}
// CHECK-DAG: %[[HI:.*]] = slc.mem_stream %[[OFF]][%[[B1]]]
// CHECK-DAG: %[[END:.*]] = slc.alu_stream index_cast %[[HI]]
// CHECK: %[[BV:.*]] = slc.callback(%[[V:.*]] = %[[B]] : index) -> (index) {
// CHECK: slc.callback {
// CHECK-NEXT: scf.for %[[D:.*]] =
// CHECK-NEXT: memref.store %{{.*}}, %[[OUT]][%[[BV]], %[[D]]]
// CHECK: slc.for @l1 %[[P:.*]] = %[[BEGIN]] to %[[END]] step
// CHECK-NEXT: %[[I:.*]] = slc.mem_stream %[[IDX]][%[[P]]]
// CHECK-NEXT: %[[ROW:.*]] = slc.alu_stream index_cast %[[I]]
// CHECK-NEXT: slc.for @l2 %[[D:.*]] = %{{.*}} : index to %{{.*}} : index step
// CHECK-NEXT: %[[R:.*]] = slc.mem_stream %[[TABLE]][%[[ROW]], %[[D]]]
// CHECK-NEXT: slc.callback(%[[DV:.*]] = %[[D]] : index, %[[RV:.*]] = %[[R]] : f32) {
// CHECK-NEXT: %[[A:.*]] = memref.load %[[OUT]][%[[BV]], %[[DV]]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[RV]]
// CHECK-NEXT: memref.store %[[S]], %[[OUT]][%[[BV]], %[[DV]]]
func.func @bag(%table: memref<?x64xf32> {ember.name = "table"},
               %indices: memref<?xi64> {ember.name = "indices"},
               %offsets: memref<?xi64> {ember.name = "offsets"})
    -> (memref<?x64xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %offsets, %c0 : memref<?xi64>
  %bags = arith.subi %n, %c1 : index
  %out = memref.alloc(%bags) : memref<?x64xf32>
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %d = %c0 to %c64 step %c1 {
      memref.store %zero, %out[%b, %d] : memref<?x64xf32>
    }
    %lo = memref.load %offsets[%b] : memref<?xi64>
    %b1 = arith.addi %b, %c1 : index
    %hi = memref.load %offsets[%b1] : memref<?xi64>
    %begin = arith.index_cast %lo : i64 to index
    %end = arith.index_cast %hi : i64 to index
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p] : memref<?xi64>
      %row = arith.index_cast %i : i64 to index
      scf.for %d = %c0 to %c64 step %c1 {
        %r = memref.load %table[%row, %d] : memref<?x64xf32>
        %a = memref.load %out[%b, %d] : memref<?x64xf32>
        %s = arith.addf %a, %r : f32
        memref.store %s, %out[%b, %d] : memref<?x64xf32>
      }
    }
  } {ember.kernel = "bag", ember.parallel}
  return %out : memref<?x64xf32>
}

// -----

// Padding: what is read only for kept indices stays under the condition, and
// the count of kept rows is carried by the core.

// CHECK-LABEL: slc.kernel @padded_mean
// CHECK: %[[ACC:.*]] = slc.local : memref<8xf32, #slc.local>
// CHECK: %[[N:.*]] = slc.for @elems %[[P:.*]] = {{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (i64) {
// CHECK: %[[KEEP:.*]] = slc.alu_stream ne
// CHECK: %[[R:.*]] = slc.if %[[KEEP]] -> (i64) {
// CHECK: %[[W:.*]] = slc.mem_stream %{{.*}}[%[[P]]] : memref<?xbf16>
// CHECK-NEXT: %[[WV:.*]] = slc.callback(%[[X:.*]] = %[[W]] : bf16) -> (f32) {
// CHECK-NEXT: arith.extf
// CHECK: slc.for @{{.*}} step %{{.*}} {
// CHECK: slc.callback
// CHECK: memref.store %{{.*}}, %[[ACC]]
// CHECK: %[[NEXT:.*]] = slc.callback -> (i64) {
// CHECK-NEXT: arith.addi %[[K]], %{{.*}} : i64
// CHECK: slc.yield %[[NEXT]] : i64
// CHECK: } else {
// CHECK-NEXT: slc.yield %[[K]] : i64
// CHECK: slc.yield %[[R]] : i64
// CHECK: slc.callback(%{{.*}} = %{{.*}} : index) {
// CHECK: arith.sitofp %[[N]]
func.func @mean(%table: memref<?x8xbf16>, %indices: memref<?xi32>,
                %weights: memref<?xbf16>, %offsets: memref<?xindex>,
                %bags: index, %pad: i32) -> memref<?x8xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %out = memref.alloc(%bags) : memref<?x8xbf16>
  scf.for %b = %c0 to %bags step %c1 {
    %acc = memref.alloca() : memref<8xf32>
    scf.for %d = %c0 to %c8 step %c1 {
      memref.store %zero, %acc[%d] : memref<8xf32>
    }
    %lo = memref.load %offsets[%b] : memref<?xindex>
    %b1 = arith.addi %b, %c1 : index
    %hi = memref.load %offsets[%b1] : memref<?xindex>
    %n = scf.for %p = %lo to %hi step %c1 iter_args(%k = %none) -> (i64) {
      %i = memref.load %indices[%p] : memref<?xi32>
      %keep = arith.cmpi ne, %i, %pad : i32
      %m = scf.if %keep -> (i64) {
        %row = arith.index_cast %i : i32 to index
        %w = memref.load %weights[%p] : memref<?xbf16>
        %wf = arith.extf %w : bf16 to f32
        scf.for %d = %c0 to %c8 step %c1 {
          %r = memref.load %table[%row, %d] : memref<?x8xbf16>
          %rf = arith.extf %r : bf16 to f32
          %a = memref.load %acc[%d] : memref<8xf32>
          %x = arith.mulf %wf, %rf : f32
          %s = arith.addf %a, %x : f32
          memref.store %s, %acc[%d] : memref<8xf32>
        }
        %k1 = arith.addi %k, %one : i64
        scf.yield %k1 : i64
      } else {
        scf.yield %k : i64
      }
      scf.yield %m : i64
    } {ember.label = "elems"}
    %f = arith.sitofp %n : i64 to f32
    scf.for %d = %c0 to %c8 step %c1 {
      %a = memref.load %acc[%d] : memref<8xf32>
      %q = arith.divf %a, %f : f32
      %t = arith.truncf %q : f32 to bf16
      memref.store %t, %out[%b, %d] : memref<?x8xbf16>
    }
  } {ember.kernel = "padded_mean", ember.label = "bags"}
  return %out : memref<?x8xbf16>
}

// -----

// Loads at positions only the core knows stay with the core, and so does a loop
// between bounds it computes.

// CHECK-LABEL: slc.kernel @core_bound_kernel
// CHECK: %[[J:.*]] = slc.mem_stream %{{.*}}[%{{.*}}] : memref<?xindex>
// CHECK: %[[X:.*]] = slc.mem_stream %{{.*}}[%[[J]]] : memref<?xf32>
// CHECK: slc.callback({{.*}}%[[V:[a-z0-9_]+]] = %[[X]] : f32
// CHECK: %[[END:.*]] = arith.fptosi %[[V]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}}
// CHECK: memref.load
func.func @core_bound(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %idx[%i] : memref<?xindex>
    %x = memref.load %t[%j] : memref<?xf32>
    %e = arith.fptosi %x : f32 to i64
    %end = arith.index_cast %e : i64 to index
    scf.for %k = %c0 to %end step %c1 {
      %y = memref.load %t[%k] : memref<?xf32>
      memref.store %y, %out[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// A stream keeps the location of its load.

// LOC-LABEL: slc.kernel @located_kernel
func.func @located(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %idx[%i] : memref<?xindex>
    %x = memref.load %t[%j] : memref<?xf32> loc("model.py":12:3)
    memref.store %x, %out[%i] : memref<?xf32>
  }
  return
}
// LOC: slc.mem_stream {{.*}} -> !slc.stream<f32> loc([[LOC:#.*]])
// LOC: [[LOC]] = loc("model.py":12:3)

// -----

// An argument without a name goes by its number in the function.

// CHECK-LABEL: slc.kernel @unnamed_kernel
// CHECK-SAME: memref<?xindex> {ember.name = "2"}
func.func @unnamed(%out: memref<?xf32>, %t: memref<?xf32>, %idx: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %idx[%i] : memref<?xindex>
    %x = memref.load %t[%j] : memref<?xf32>
    memref.store %x, %out[%i] : memref<?xf32>
  }
  return
}

// -----

// A loop around a kernel, with what it checks each time, belongs to the host.

// CHECK-LABEL: func.func @repeated
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: slc.launch @gather(
// CHECK: slc.kernel @gather(
func.func @repeated(%table: memref<?xf32>, %indices: memref<?xindex>,
                    %out: memref<?xf32>, %n: index, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %time = %c0 to %n step %c1 {
    scf.if %ok {
      scf.for %i = %c0 to %n step %c1 {
        %row = memref.load %indices[%i] : memref<?xindex>
        %value = memref.load %table[%row] : memref<?xf32>
        memref.store %value, %out[%i] : memref<?xf32>
      } {ember.kernel = "gather"}
    }
  }
  return
}

// -----

// The row number, read again for each column, is read once; checks of what the
// access unit checks itself go, others stay with the core.

// CHECK-LABEL: slc.kernel @elementwise_kernel
// CHECK: slc.for @l0 %[[P:.*]] =
// CHECK-NEXT: %[[I:.*]] = slc.mem_stream %{{.*}}[%[[P]]] : memref<?xi64>
// CHECK-NEXT: %[[ROW:.*]] = slc.alu_stream index_cast %[[I]]
// CHECK: slc.for @l1
// CHECK-NOT: slc.alu_stream
// CHECK: slc.mem_stream %{{.*}}[%[[ROW]], %{{.*}}] : memref<?x16xf32>
// CHECK-NOT: "below"
// CHECK-NOT: "above"
// CHECK: cf.assert %{{.*}}, "other"
func.func @elementwise(%t: memref<?x16xf32>, %idx: memref<?xi64>, %out: memref<?x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %p = %c0 to %n step %c1 {
    scf.for %d = %c0 to %c16 step %c1 {
      %i = memref.load %idx[%p] : memref<?xi64>
      %row = arith.index_cast %i : i64 to index
      %rows = memref.dim %t, %c0 : memref<?x16xf32>
      %below = arith.cmpi slt, %row, %rows : index
      cf.assert %below, "below"
      %above = arith.cmpi sge, %i, %zero : i64
      cf.assert %above, "above"
      %other = arith.cmpi sge, %i, %one : i64
      cf.assert %other, "other"
      %x = memref.load %t[%row, %d] : memref<?x16xf32>
      memref.store %x, %out[%p, %d] : memref<?x16xf32>
    }
  }
  return
}

// -----

// A loop that may not run reads nothing then; a buffer that may be the one
// written is read each time.

// CHECK-LABEL: slc.kernel @not_hoisted_kernel
// CHECK: slc.for @l0
// CHECK-NEXT: slc.for @l1
// CHECK-NEXT: slc.mem_stream %{{.*}} : memref<?xindex>
func.func @not_hoisted(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    scf.for %q = %c0 to %m step %c1 {
      %i = memref.load %idx[%p] : memref<?xindex>
      %x = memref.load %t[%i] : memref<?xf32>
      memref.store %x, %out[%q] : memref<?xf32>
    }
  }
  return
}

// -----

// Arguments of a private function are told apart by what its callers pass.

// CHECK-LABEL: slc.kernel @inner_kernel
func.func @outer(%t: memref<?xf32>, %idx: memref<?xindex>, %n: index) -> memref<?xf32> {
  %out = memref.alloc(%n) : memref<?xf32>
  call @inner(%t, %idx, %out, %n) : (memref<?xf32>, memref<?xindex>, memref<?xf32>, index) -> ()
  return %out : memref<?xf32>
}
func.func private @inner(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    %i = memref.load %idx[%p] : memref<?xindex>
    %x = memref.load %t[%i] : memref<?xf32>
    memref.store %x, %out[%p] : memref<?xf32>
  }
  return
}
