// RUN: ember-translate --part=execute %s | FileCheck %s
// RUN: ember-translate --part=execute --emit=obj %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=aarch64 %s -o %t.o && llvm-nm --undefined-only %t.o | count 0

// Cores that cannot convert f16, and with vectors but only scalar conversions.
// RUN: ember-translate --part=execute --march=x86_64 --mcpu=x86-64 %s | FileCheck %s --check-prefix=EXPANDED
// RUN: ember-translate --part=execute --emit=obj --march=x86_64 --mcpu=x86-64 %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj -O0 --march=x86_64 --mcpu=x86-64 %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=riscv64 --mattr=+m,+a,+f,+d,+c,+v %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --emit=obj --march=riscv64 --mattr=+m,+a,+f,+d,+c,+v,+zfhmin %s -o %t.o && llvm-nm --undefined-only %t.o | count 0
// RUN: ember-translate --part=execute --march=riscv64 --mattr=+m,+a,+f,+d,+c,+v,+zvfhmin %s | FileCheck %s

// f16 is widened and rounded by the core's own instructions, or by integer
// operations where it has none: no library call.
// CHECK-LABEL: define void @round
// CHECK-NOT: call
// CHECK: fpext <16 x half>
// CHECK: fptrunc <16 x float>
// CHECK: ret void

// EXPANDED-LABEL: define void @round
// EXPANDED-NOT: call
// EXPANDED-NOT: fpext
// EXPANDED: shl {{.*}}<16 x i32>
// EXPANDED-NOT: fptrunc
// EXPANDED: ret void
module @execute {
  func.func @round(%ctx: !llvm.ptr, %in: memref<64xf16>, %out: memref<64xf16>) {
    %c0 = arith.constant 0 : index
    %x = vector.load %in[%c0] : memref<64xf16>, vector<16xf16>
    %f = arith.extf %x : vector<16xf16> to vector<16xf32>
    %g = arith.addf %f, %f : vector<16xf32>
    %h = arith.mulf %g, %g : vector<16xf32>
    %y = arith.truncf %h : vector<16xf32> to vector<16xf16>
    vector.store %y, %out[%c0] : memref<64xf16>, vector<16xf16>
    return
  }
}
func.func private @f()
