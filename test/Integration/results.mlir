// Means of bags at every level, with and without an access unit: a padding row
// that holds NaN, an empty bag, one of padding alone, and a last bag that runs
// to the end. 20 columns are a vector and a part of one.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 3x20 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 8
// RUN: %npy write %t/indices.npy i32 7 0 2 1 1 2 2 0
// RUN: %npy write %t/offsets.npy i64 4 0 3 3 4

// DEFINE: %{flags} =
// DEFINE: %{run} = ember-sim %s %{flags} --arg table=%t/table.npy \
// DEFINE:   --arg indices=%t/indices.npy --arg offsets=%t/offsets.npy \
// DEFINE:   --out result=%t/out.npy && %npy show %t/out.npy
// REDEFINE: %{flags} = --level=0
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=1
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=2
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=3
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=0 --machine=core-hbm2
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=3 --machine=core-hbm2
// RUN: %{run} | FileCheck %s

// CHECK: <f4 4x20
// CHECK-NEXT: {{^}}3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 5{{$}}
// CHECK-NEXT: {{^}}0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0{{$}}
// CHECK-NEXT: {{^}}0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0{{$}}
// CHECK-NEXT: {{^}}3.66667 3.66667 {{.*}} 3.66667 6{{$}}
func.func @bag(%table: tensor<?x20xf32> {ember.name = "table", ember.parameter},
               %indices: tensor<?xi32> {ember.name = "indices"},
               %offsets: tensor<?xi64> {ember.name = "offsets"})
    -> (tensor<?x20xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %bags = tensor.dim %offsets, %c0 : tensor<?xi64>
  %out = tensor.empty(%bags) : tensor<?x20xf32>
  %r = emb.bag mean
      ins(%table, %indices, %offsets
          : tensor<?x20xf32>, tensor<?xi32>, tensor<?xi64>)
      outs(%out : tensor<?x20xf32>) {padding_idx = -2 : i64}
      -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}
