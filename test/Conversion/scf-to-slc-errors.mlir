// RUN: ember-opt %s --convert-scf-to-slc --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=decouple --remark-format=emitRemark | FileCheck %s

// A caller inside the module passes one buffer twice.
func.func @caller(%t: memref<?xf32>, %idx: memref<?xindex>, %n: index) {
  call @may_alias(%t, %idx, %t, %n) : (memref<?xf32>, memref<?xindex>, memref<?xf32>, index) -> ()
  return
}

func.func private @may_alias(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %idx[%i] : memref<?xindex>
    // expected-error@+1 {{cannot tell whether the buffer used here is written under another name}}
    %x = memref.load %t[%j] : memref<?xf32>
    // expected-note@+1 {{this may write it}}
    memref.store %x, %out[%i] : memref<?xf32>
  }
  return
}

// -----

// A view of the buffer that is written.
func.func @view(%idx: memref<?xindex>, %t: memref<?xf32>, %out: memref<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = memref.collapse_shape %out [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %idx[%i] : memref<?xindex>
    %x = memref.load %t[%j] : memref<?xf32>
    // expected-note@+1 {{this may write it}}
    memref.store %x, %out[%c0, %i] : memref<8x8xf32>
    // expected-error@+1 {{cannot tell whether the buffer used here is written under another name}}
    memref.store %x, %view[%i] : memref<64xf32>
  }
  return
}

// -----

func.func private @unknown(f32)

// CHECK-LABEL: func.func @calls
// CHECK: scf.for
func.func @calls(%t: memref<?xf32>, %idx: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark-re@+1 {{this lookup stays on the host: 'func.call' at {{.*}} may write any memory}}
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %idx[%i] : memref<?xindex>
    %x = memref.load %t[%j] : memref<?xf32>
    func.call @unknown(%x) : (f32) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @carried
// CHECK: scf.for
func.func @carried(%t: memref<?xf32>, %idx: memref<?xindex>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-remark@+1 {{this lookup stays on the host: it carries values out of its outermost loop}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %j = memref.load %idx[%i] : memref<?xindex>
    %x = memref.load %t[%j] : memref<?xf32>
    %a = arith.addf %s, %x : f32
    scf.yield %a : f32
  }
  return %sum : f32
}

// -----

// The nest chases pointers through the buffer it writes: nothing can move.
// CHECK-LABEL: func.func @read_back
// CHECK: scf.for
func.func @read_back(%t: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@+1 {{this lookup stays on the host: no load can move to the access unit}}
  scf.for %i = %c0 to %n step %c1 {
    %j = memref.load %t[%i] : memref<?xindex>
    memref.store %i, %t[%j] : memref<?xindex>
  } {ember.kernel = "chase"}
  return
}

// -----

// A dense loop is no lookup.
// CHECK-LABEL: func.func @dense
// CHECK: scf.for
// CHECK-NOT: slc.kernel
func.func @dense(%in: memref<?xf32>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark@+1 {{this nest stays on the host: no load, loop bound or condition depends on a load}}
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %in[%i] : memref<?xf32>
    memref.store %x, %out[%i] : memref<?xf32>
  }
  return
}
