// RUN: ember-opt %s --convert-scf-to-slc --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=decouple --remark-format=emitRemark

// What moves and what stays, load by load. (scf-to-slc.mlir sees to it that
// nothing is said without being asked.)

func.func @sum(%t: memref<?x8xf32>, %idx: memref<?xindex>, %sum: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %p = %c0 to %n step %c1 {
    // expected-remark@+1 {{this load moves to the access unit}}
    %i = memref.load %idx[%p] : memref<?xindex>
    scf.for %d = %c0 to %c8 step %c1 {
      // expected-remark@+1 {{this load moves to the access unit}}
      %x = memref.load %t[%i, %d] : memref<?x8xf32>
      // expected-remark-re@+1 {{this load stays on the core: the nest writes the buffer, by 'memref.store' at {{.*}}"}}
      %a = memref.load %sum[%d] : memref<8xf32>
      %s = arith.addf %a, %x : f32
      memref.store %s, %sum[%d] : memref<8xf32>
    }
  }
  return
}

// -----

// Positions that the core computes.
func.func @positions(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    // expected-remark@+1 {{this load moves to the access unit}}
    %i = memref.load %idx[%p] : memref<?xindex>
    // expected-remark@+1 {{this load moves to the access unit}}
    %x = memref.load %t[%i] : memref<?xf32>
    %j = arith.remui %i, %m : index
    %k = arith.addi %j, %c1 : index
    // expected-remark-re@+1 {{its position depends on 'arith.remui' at {{.*}}, which the core runs}}
    %y = memref.load %t[%k] : memref<?xf32>
    %last = scf.for %q = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
      // expected-remark@+1 {{its position depends on a value that the core carries through a loop}}
      %next = memref.load %idx[%at] : memref<?xindex>
      scf.yield %next : index
    }
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%last] : memref<?xf32>
  }
  return
}

// -----

// Loops and conditions that the access unit cannot follow.
func.func @control(%t: memref<?xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %p = %c0 to %n step %c1 {
    // expected-remark@+1 {{this load moves to the access unit}}
    %i = memref.load %idx[%p] : memref<?xindex>
    // expected-remark@+1 {{this load moves to the access unit}}
    %x = memref.load %t[%i] : memref<?xf32>
    %positive = arith.cmpf ogt, %x, %zero : f32
    scf.if %positive {
      // expected-remark-re@+1 {{the access unit cannot follow 'scf.if' at {{.*}}: its condition is computed by the core}}
      %y = memref.load %t[%p] : memref<?xf32>
      memref.store %y, %out[%p] : memref<?xf32>
    }
    %e = arith.fptosi %x : f32 to i64
    %end = arith.index_cast %e : i64 to index
    scf.for %k = %c0 to %end step %c1 {
      // expected-remark-re@+1 {{the access unit cannot follow 'scf.for' at {{.*}}: its bounds are computed by the core}}
      %y = memref.load %t[%k] : memref<?xf32>
      memref.store %y, %out[%k] : memref<?xf32>
    }
    scf.while : () -> () {
      // expected-remark-re@+1 {{the access unit cannot follow 'scf.while' at {{.*}}"}}
      %y = memref.load %t[%p] : memref<?xf32>
      %more = arith.cmpf ogt, %y, %zero : f32
      scf.condition(%more)
    } do {
      scf.yield
    }
  }
  return
}

// -----

// Buffers of the nest's own, and reads by other operations.
func.func @buffers(%t: memref<?x8xf32>, %idx: memref<?xindex>, %out: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %p = %c0 to %n step %c1 {
    // expected-remark@+1 {{this load moves to the access unit}}
    %i = memref.load %idx[%p] : memref<?xindex>
    // expected-remark@+1 {{this load moves to the access unit}}
    %x = memref.load %t[%i, %c0] : memref<?x8xf32>
    %local = memref.alloca() : memref<8xf32>
    memref.store %x, %local[%c0] : memref<8xf32>
    // expected-remark@+1 {{this load stays on the core: the buffer is private to the core}}
    %y = memref.load %local[%c0] : memref<8xf32>
    // expected-remark@+1 {{this read stays on the core: only 'memref.load' moves to the access unit}}
    %v = vector.load %t[%i, %c0] : memref<?x8xf32>, vector<8xf32>
    %r = vector.reduction <add>, %v : vector<8xf32> into f32
    %z = arith.addf %y, %r : f32
    memref.store %z, %out[%p] : memref<?xf32>
  }
  return
}
