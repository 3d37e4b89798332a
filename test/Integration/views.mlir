// A returned argument is copied, and so is a result that becomes a part of
// another: both are views, row after row.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 2x3 1 2 3 10 20 30
// RUN: %npy write %t/indices.npy i64 2 1 0
// RUN: ember-sim %s --arg table=%t/table.npy --arg indices=%t/indices.npy \
// RUN:   --out same=%t/same.npy --out joined=%t/joined.npy
// RUN: %npy show %t/same.npy | FileCheck %s --check-prefix=SAME
// RUN: %npy show %t/joined.npy | FileCheck %s --check-prefix=JOINED

// SAME: <f4 2x3
// SAME-NEXT: {{^}}1 2 3{{$}}
// SAME-NEXT: {{^}}10 20 30{{$}}
// JOINED: <f4 2x6
// JOINED-NEXT: {{^}}10 20 30 10 20 30{{$}}
// JOINED-NEXT: {{^}}1 2 3 1 2 3{{$}}
func.func @views(%table: tensor<?x3xf32> {ember.name = "table"},
                 %indices: tensor<2xi64> {ember.name = "indices"})
    -> (tensor<?x3xf32> {ember.name = "same"},
        tensor<2x6xf32> {ember.name = "joined"}) {
  %out = tensor.empty() : tensor<2x3xf32>
  %rows = emb.lookup ins(%table, %indices : tensor<?x3xf32>, tensor<2xi64>)
      outs(%out : tensor<2x3xf32>) -> tensor<2x3xf32>
  %wide = tensor.empty() : tensor<2x6xf32>
  %left = tensor.insert_slice %rows into %wide[0, 0] [2, 3] [1, 1]
      : tensor<2x3xf32> into tensor<2x6xf32>
  %both = tensor.insert_slice %rows into %left[0, 3] [2, 3] [1, 1]
      : tensor<2x3xf32> into tensor<2x6xf32>
  return %table, %both : tensor<?x3xf32>, tensor<2x6xf32>
}
