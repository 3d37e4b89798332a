// RUN: split-file %s %t
// RUN: not ember-translate --part=access %t/unsplit.mlir 2>&1 | FileCheck %s --check-prefix=UNSPLIT
// RUN: not ember-translate --part=host %t/fault.mlir 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: not ember-translate --part=execute %t/context.mlir 2>&1 | FileCheck %s --check-prefix=CONTEXT
// RUN: not ember-translate --part=host %t/host.mlir --march=pdp11 2>&1 | FileCheck %s --check-prefix=MARCH
// RUN: not ember-translate --part=host %t/host.mlir --mcpu=vax 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not ember-translate --part=host %t/host.mlir --mattr=+vax 2>&1 | FileCheck %s --check-prefix=FEATURE

//--- unsplit.mlir
// UNSPLIT: unsplit.mlir:{{.*}}: error: has no module @access: run dlc-split first
func.func @f() {
  return
}

//--- fault.mlir
module @host {
  func.func @f(%i: index) {
    // FAULT: fault.mlir:{{[0-9]+}}:5: error: 'dlc.fault' op has no site or no context to report to; dlc-split gives it both
    dlc.fault index_out_of_range argument "x" (%i, %i, %i) : index, index, index
    return
  }
}
func.func private @g()

//--- context.mlir
module @execute {
  // CONTEXT: error: 'func.func' op uses queues, so its first argument is the context of the run time
  func.func @f() attributes {dlc.queues = #dlc.queues<data = 64, scalar = 64, token = 64>} {
    dlc.until @l {
    }
    return
  }
}
func.func private @g()

//--- host.mlir
module @host {
  func.func @f(%ctx: !llvm.ptr) {
    return
  }
}
func.func private @g()
// MARCH: error: triple: 'pdp11-unknown-linux-gnu' is not allowed
// CPU: error: cpu: 'vax' is not allowed; expected a CPU that LLVM knows for x86-64
// FEATURE-NOT: ignoring feature
// FEATURE: error: features: 'vax' is not allowed; expected a feature that LLVM knows for x86-64
