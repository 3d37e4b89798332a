// ember-sim takes a module at any stage and runs the passes that are left; all
// of them come to the same cycles and the same result.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 2x3 1 2 3 10 20 30
// RUN: %npy write %t/indices.npy i64 3 1 0 1

// RUN: ember-opt %s --ember-attach-target=machine=dae-hbm2 --ember-bufferize --canonicalize > %t/bufferized.mlir
// RUN: ember-opt %t/bufferized.mlir --convert-emb-to-scf --cse > %t/scf.mlir
// RUN: ember-opt %t/scf.mlir --convert-scf-to-slc > %t/decoupled.mlir
// RUN: ember-opt %t/decoupled.mlir --slc-optimize > %t/slc.mlir
// RUN: ember-opt %t/slc.mlir --convert-slc-to-dlc > %t/dlc.mlir
// RUN: ember-opt %t/dlc.mlir --dlc-split > %t/split.mlir

// DEFINE: %{module} = %s
// DEFINE: %{run} = ember-sim %{module} --arg table=%t/table.npy \
// DEFINE:   --arg indices=%t/indices.npy --out result=%t/out.npy \
// DEFINE:   --stats=%t/stats.json && %npy show %t/out.npy
// RUN: %{run} | FileCheck %s
// RUN: cp %t/stats.json %t/expected.json
// REDEFINE: %{module} = %t/bufferized.mlir
// RUN: %{run} | FileCheck %s
// RUN: cmp %t/stats.json %t/expected.json
// REDEFINE: %{module} = %t/scf.mlir
// RUN: %{run} | FileCheck %s
// RUN: cmp %t/stats.json %t/expected.json
// REDEFINE: %{module} = %t/decoupled.mlir
// RUN: %{run} | FileCheck %s
// RUN: cmp %t/stats.json %t/expected.json
// REDEFINE: %{module} = %t/slc.mlir
// RUN: %{run} | FileCheck %s
// RUN: cmp %t/stats.json %t/expected.json
// REDEFINE: %{module} = %t/dlc.mlir
// RUN: %{run} | FileCheck %s
// RUN: cmp %t/stats.json %t/expected.json
// REDEFINE: %{module} = %t/split.mlir
// RUN: %{run} | FileCheck %s
// RUN: cmp %t/stats.json %t/expected.json

// CHECK: <f4 3x3
// CHECK-NEXT: {{^}}10 20 30{{$}}
// CHECK-NEXT: {{^}}1 2 3{{$}}
// CHECK-NEXT: {{^}}10 20 30{{$}}
func.func @lookup(%table: tensor<?x3xf32> {ember.name = "table"},
                  %indices: tensor<?xi64> {ember.name = "indices"})
    -> (tensor<?x3xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %indices, %c0 : tensor<?xi64>
  %out = tensor.empty(%n) : tensor<?x3xf32>
  %r = emb.lookup ins(%table, %indices : tensor<?x3xf32>, tensor<?xi64>)
      outs(%out : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
