// RUN: ember-opt %s --convert-emb-to-scf --mlir-print-debuginfo \
// RUN:   --mlir-print-local-scope | FileCheck %s

// Everything an operation becomes keeps the operation's location.
// CHECK-LABEL: func.func @lookup
// CHECK: memref.load {{.*}} loc("model.py":7:3)
// CHECK: memref.store {{.*}} loc("model.py":7:3)
// CHECK: ember.kernel = "lookup", {{.*}} loc("model.py":7:3)
func.func @lookup(%table: memref<?x4xf32>, %indices: memref<8xi64>,
                  %out: memref<8x4xf32>) {
  emb.lookup ins(%table, %indices : memref<?x4xf32>, memref<8xi64>)
      outs(%out : memref<8x4xf32>) loc("model.py":7:3)
  return
}
