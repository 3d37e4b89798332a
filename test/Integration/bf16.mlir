// Narrow tables accumulate in f32, in memory private to the core, and are
// rounded once: 256 + 1 + 1 is 258, while 256 + 1 is no bf16.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy bf16 2x3 256 -256 2 1 -1 3
// RUN: %npy write %t/indices.npy i64 3 0 1 1
// RUN: %npy write %t/offsets.npy i64 2 0 3

// DEFINE: %{flags} =
// DEFINE: %{run} = ember-sim %s %{flags} --arg table=%t/table.npy \
// DEFINE:   --arg indices=%t/indices.npy --arg offsets=%t/offsets.npy \
// DEFINE:   --out 0=%t/out.npy && %npy show %t/out.npy
// REDEFINE: %{flags} = --level=0
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=3
// RUN: %{run} | FileCheck %s
// REDEFINE: %{flags} = --level=3 --machine=core-hbm2
// RUN: %{run} | FileCheck %s

// CHECK: V2 1x3
// CHECK-NEXT: {{^}}258 -258 8{{$}}
func.func @bag(%table: tensor<?x3xbf16> {ember.name = "table"},
               %indices: tensor<?xi64> {ember.name = "indices"},
               %offsets: tensor<2xi64> {ember.name = "offsets"})
    -> tensor<1x3xbf16> {
  %out = tensor.empty() : tensor<1x3xbf16>
  %r = emb.bag sum
      ins(%table, %indices, %offsets
          : tensor<?x3xbf16>, tensor<?xi64>, tensor<2xi64>)
      outs(%out : tensor<1x3xbf16>) {include_last_offset} -> tensor<1x3xbf16>
  return %r : tensor<1x3xbf16>
}
