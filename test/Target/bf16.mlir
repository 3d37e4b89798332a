// RUN: ember-translate --part=execute %s | FileCheck %s
// RUN: ember-translate --part=execute --emit=obj %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=aarch64 --mcpu=neoverse-n1 %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=riscv64 --mattr=+m,+a,+f,+d,+c,+v %s -o %t.o && llvm-nm --undefined-only %t.o | count 0

// bf16 is widened and rounded by integer operations: no library call.
// CHECK-LABEL: define void @round
// CHECK-NOT: call
// CHECK: shl {{.*}}<16 x i32>
// CHECK-NOT: fptrunc
// CHECK: ret void
module @execute {
  func.func @round(%ctx: !llvm.ptr, %in: memref<64xbf16>, %out: memref<64xbf16>) {
    %c0 = arith.constant 0 : index
    %x = vector.load %in[%c0] : memref<64xbf16>, vector<16xbf16>
    %f = arith.extf %x : vector<16xbf16> to vector<16xf32>
    %g = arith.addf %f, %f : vector<16xf32>
    %y = arith.truncf %g : vector<16xf32> to vector<16xbf16>
    vector.store %y, %out[%c0] : memref<64xbf16>, vector<16xbf16>
    return
  }
}
func.func private @f()
