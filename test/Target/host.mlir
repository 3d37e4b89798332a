// RUN: ember-opt --dlc-split %s | ember-translate --part=host -O0 | FileCheck %s
// RUN: ember-opt --dlc-split %s | ember-translate --part=host | FileCheck %s --check-prefix=OPT

// A coupled kernel is host code alone: it goes the same way.

// CHECK: declare {{.*}}noalias ptr @_mlir_memref_to_llvm_aligned_alloc(i64, i64)
// CHECK: declare {{.*}}void @ember_fault(ptr, i32, i64, i64, i64)

// The run time's context comes first, then the fields of the descriptors.
// CHECK-LABEL: define {{.*}} @double(ptr %0, ptr noalias %1, ptr noalias %2, i64 %3,
// CHECK: call ptr @_mlir_memref_to_llvm_aligned_alloc
// CHECK: call void @llvm.prefetch
// CHECK: call void @ember_fault(ptr %0, i32 0, i64 %{{.*}}, i64 %{{.*}}, i64 64)
// CHECK-LABEL: define void @_mlir_ciface_double(ptr %0, ptr %1, ptr %2)

// OPT-LABEL: define {{.*}} @double(
// OPT: load <16 x float>

func.func @double(%in: memref<?xf32> {ember.name = "in"}) -> (memref<?xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %in, %c0 : memref<?xf32>
  %out = memref.alloc(%n) : memref<?xf32>
  memref.prefetch %in[%c64], read, locality<3>, data : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %in[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %out[%i] : memref<?xf32>
  }
  %small = arith.cmpi ult, %n, %c64 : index
  scf.if %small {
    dlc.fault offset_beyond_indices argument "in" (%n, %n, %c64) : index, index, index
  }
  return %out : memref<?xf32>
}
