// A bad index names the argument, its place, what it holds and what is allowed,
// the same at every level and on machines without access units. Row 2^58 is
// byte 2^64 of this table, so a check after the multiplication passes it.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 5x16 1
// RUN: %npy write %t/offsets.npy i64 3 0 2 2
// RUN: %npy write %t/first.npy i64 4 -1 0 1 2
// RUN: %npy write %t/last.npy i64 4 0 1 2 5
// RUN: %npy write %t/wraps.npy i64 4 0 1 288230376151711744 -1
// RUN: %npy write %t/least.npy i64 4 0 -9223372036854775808 5 0
// RUN: %npy write %t/good.npy i64 4 0 1 2 3

// DEFINE: %{flags} =
// DEFINE: %{offsets} = offsets
// DEFINE: %{indices} =
// DEFINE: %{run} = not ember-sim %s %{flags} --arg table=%t/table.npy \
// DEFINE:   --arg indices=%t/%{indices}.npy --arg offsets=%t/%{offsets}.npy 2>&1

// REDEFINE: %{flags} = --level=0
// REDEFINE: %{indices} = first
// RUN: %{run} | FileCheck %s --check-prefix=FIRST
// REDEFINE: %{indices} = last
// RUN: %{run} | FileCheck %s --check-prefix=LAST
// REDEFINE: %{indices} = wraps
// RUN: %{run} | FileCheck %s --check-prefix=WRAPS
// REDEFINE: %{indices} = least
// RUN: %{run} | FileCheck %s --check-prefix=LEAST

// REDEFINE: %{flags} = --level=3
// REDEFINE: %{indices} = first
// RUN: %{run} | FileCheck %s --check-prefix=FIRST
// REDEFINE: %{indices} = last
// RUN: %{run} | FileCheck %s --check-prefix=LAST
// REDEFINE: %{indices} = wraps
// RUN: %{run} | FileCheck %s --check-prefix=WRAPS
// REDEFINE: %{indices} = least
// RUN: %{run} | FileCheck %s --check-prefix=LEAST

// REDEFINE: %{flags} = --level=3 --machine=core-hbm2
// REDEFINE: %{indices} = first
// RUN: %{run} | FileCheck %s --check-prefix=FIRST
// REDEFINE: %{indices} = last
// RUN: %{run} | FileCheck %s --check-prefix=LAST
// REDEFINE: %{indices} = wraps
// RUN: %{run} | FileCheck %s --check-prefix=WRAPS
// REDEFINE: %{indices} = least
// RUN: %{run} | FileCheck %s --check-prefix=LEAST

// FIRST: error: index out of range: argument 'indices' holds -1 at position 0; allowed are 0 to 4 (function 'bag' at {{.*}}faults.mlir:[[#]]:8)
// LAST: error: index out of range: argument 'indices' holds 5 at position 3; allowed are 0 to 4
// WRAPS: error: index out of range: argument 'indices' holds 288230376151711744 at position 2; allowed are 0 to 4
// LEAST: error: index out of range: argument 'indices' holds -9223372036854775808 at position 1; allowed are 0 to 4

// Offsets are checked by the host before anything is read.
// REDEFINE: %{indices} = good
// REDEFINE: %{offsets} = start
// RUN: %npy write %t/start.npy i64 3 1 2 2
// RUN: %{run} | FileCheck %s --check-prefix=START
// REDEFINE: %{offsets} = down
// RUN: %npy write %t/down.npy i64 3 0 3 2
// RUN: %{run} | FileCheck %s --check-prefix=DOWN
// REDEFINE: %{offsets} = beyond
// RUN: %npy write %t/beyond.npy i64 3 0 5 4
// RUN: %{run} | FileCheck %s --check-prefix=BEYOND

// START: error: offsets must start at 0: argument 'offsets' holds 1 at position 0
// DOWN: error: offsets must not decrease: argument 'offsets' holds 2 at position 2, after 3
// BEYOND: error: offset beyond the indices: argument 'offsets' holds 5 at position 1, but there are 4 indices
func.func @bag(%table: tensor<?x16xf32> {ember.name = "table", ember.parameter},
               %indices: tensor<?xi64> {ember.name = "indices"},
               %offsets: tensor<?xi64> {ember.name = "offsets"})
    -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %bags = tensor.dim %offsets, %c0 : tensor<?xi64>
  %out = tensor.empty(%bags) : tensor<?x16xf32>
  %r = emb.bag max
      ins(%table, %indices, %offsets
          : tensor<?x16xf32>, tensor<?xi64>, tensor<?xi64>)
      outs(%out : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
