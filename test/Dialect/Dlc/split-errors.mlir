// RUN: ember-opt %s --dlc-split --split-input-file --verify-diagnostics

// expected-note @below {{the kernel}}
dlc.kernel @k() queues <data = 64, scalar = 64, token = 64> {
  dlc.access {}
  dlc.execute {}
}
// expected-error @below {{has a name that the split of @k needs}}
func.func private @k_access()

// -----

// expected-error @below {{is nested in the module to split; is it split already?}}
module @host {
}
func.func private @f()

// -----

// expected-error @below {{is to be lowered to dlc before the module is split}}
slc.kernel @k(%n: index) {
  slc.return
}
