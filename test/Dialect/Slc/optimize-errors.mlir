// RUN: not ember-opt %s --slc-optimize=level=5 2>&1 | FileCheck %s
// RUN: not ember-opt %s --slc-optimize=level=-1 2>&1 | FileCheck %s --check-prefix=LOW

// CHECK: there is no optimization level 5: levels are 0 to 4
// LOW: there is no optimization level -1: levels are 0 to 4
