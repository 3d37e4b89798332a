// RUN: ember-translate --part=execute %s | FileCheck %s
// RUN: ember-translate --part=execute --emit=obj %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=x86_64 --mcpu=x86-64 %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=aarch64 --mcpu=neoverse-n1 %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=riscv64 --mattr=+m,+a,+f,+d,+c,+v %s -o %t.o && llvm-nm --undefined-only %t.o | count 0

// Functions are arithmetic on whole vectors: no library call, and one branch,
// around the reduction of large angles.

// CHECK: @ember_two_over_pi = private {{.*}}constant [19 x i64]

// CHECK-LABEL: define void @exp
// CHECK-NOT: call
// CHECK-NOT: br
// CHECK: fmul contract <16 x float>
// CHECK: ret void

// CHECK-LABEL: define void @exp_f64
// CHECK-NOT: call
// CHECK-NOT: br
// CHECK: fmul contract double
// CHECK: ret void

// CHECK-LABEL: define void @turn
// CHECK-NOT: llvm.sin
// CHECK-NOT: llvm.cos
// CHECK: br i1
// CHECK-NOT: llvm.sin
// CHECK-NOT: llvm.cos
// CHECK: ret void

// CHECK-LABEL: define void @half
// CHECK: fpext <8 x half> %{{.*}} to <8 x float>
// CHECK-NOT: call
// CHECK: fptrunc <8 x float> %{{.*}} to <8 x half>
// CHECK: ret void
module @execute {
  func.func @exp(%ctx: !llvm.ptr, %in: memref<16xf32>) {
    %c0 = arith.constant 0 : index
    %x = vector.load %in[%c0] : memref<16xf32>, vector<16xf32>
    %y = math.exp %x : vector<16xf32>
    vector.store %y, %in[%c0] : memref<16xf32>, vector<16xf32>
    return
  }
  func.func @exp_f64(%ctx: !llvm.ptr, %in: memref<1xf64>) {
    %c0 = arith.constant 0 : index
    %x = memref.load %in[%c0] : memref<1xf64>
    %y = math.exp %x : f64
    memref.store %y, %in[%c0] : memref<1xf64>
    return
  }
  func.func @turn(%ctx: !llvm.ptr, %in: memref<16xf32>, %out: memref<16xf32>) {
    %c0 = arith.constant 0 : index
    %x = vector.load %in[%c0] : memref<16xf32>, vector<16xf32>
    %s = math.sin %x : vector<16xf32>
    %c = math.cos %x : vector<16xf32>
    vector.store %s, %in[%c0] : memref<16xf32>, vector<16xf32>
    vector.store %c, %out[%c0] : memref<16xf32>, vector<16xf32>
    return
  }
  func.func @half(%ctx: !llvm.ptr, %in: memref<8xf16>) {
    %c0 = arith.constant 0 : index
    %x = vector.load %in[%c0] : memref<8xf16>, vector<8xf16>
    %y = math.exp %x : vector<8xf16>
    vector.store %y, %in[%c0] : memref<8xf16>, vector<8xf16>
    return
  }
}
func.func private @f()
