// RUN: ember-opt %s --convert-emb-to-scf --canonicalize --cse --canonicalize \
// RUN:   --split-input-file | FileCheck %s

// The host part: padding, sizes, offsets brought to one form and checked on a
// path that is one reduction; only if that finds something, the first bad one.

// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<?x64xf32>
// CHECK-SAME: %[[INDICES:[a-z0-9]+]]: memref<?xi32>
// CHECK-SAME: %[[OFFSETS:[a-z0-9]+]]: memref<?xi32>
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: memref<?xf32>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x64xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[M1:.*]] = arith.constant -1 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[COUNT:.*]] = memref.dim %[[INDICES]], %[[C0]]
// CHECK: %[[BAGS:.*]] = memref.dim %[[OFFSETS]], %[[C0]]
// CHECK: %[[ROWS:.*]] = memref.dim %[[TABLE]], %[[C0]]
// CHECK: %[[PAD:.*]] = arith.addi %[[ROWS]], %[[M1]]
// CHECK: %[[BADPAD:.*]] = arith.cmpi slt, %[[PAD]], %[[C0]]
// CHECK: scf.if %[[BADPAD]] {
// CHECK:   dlc.fault{{.*}}padding_out_of_range argument "padding_idx" (%[[C0]], %[[M1]], %[[ROWS]])
// CHECK: %[[NWEIGHTS:.*]] = memref.dim %[[WEIGHTS]], %[[C0]]
// CHECK: dlc.fault{{.*}}shape_mismatch argument "per_sample_weights" (%[[C0]], %[[NWEIGHTS]], %[[COUNT]])
// CHECK: %[[ENTRIES:.*]] = arith.addi %[[BAGS]], %[[C1]]
// CHECK: %[[BOUNDS:.*]] = memref.alloc(%[[ENTRIES]]) {{.*}}: memref<?xi64>
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[BAGS]] step %[[C1]] {
// CHECK:   %[[O:.*]] = memref.load %[[OFFSETS]][%[[I]]] : memref<?xi32>
// CHECK:   %[[O64:.*]] = arith.extsi %[[O]] : i32 to i64
// CHECK:   memref.store %[[O64]], %[[BOUNDS]][%[[I]]]
// CHECK: %[[LAST:.*]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: memref.store %[[LAST]], %[[BOUNDS]][%[[BAGS]]]
// CHECK: dlc.fault{{.*}}offsets_empty argument "offsets" (%[[C0]], %[[BAGS]], %[[C1]])
// CHECK: %[[BAD:.*]] = scf.if {{.*}} -> (i1) {
// CHECK:   scf.for %[[P:.*]] = %[[C1]] to %[[ENTRIES]] step %[[C1]] iter_args(%[[FLAG:.*]] = {{.*}}) -> (i1) {
// CHECK-NOT: scf.if
// CHECK:     %[[ANY:.*]] = arith.ori %[[FLAG]],
// CHECK:     scf.yield %[[ANY]]
// CHECK: scf.if %[[BAD]] {
// CHECK:   %[[FIRST:.*]] = arith.index_cast
// CHECK:   dlc.fault{{.*}}offset_not_zero argument "offsets" (%[[C0]], %[[FIRST]], %[[C0]])
// CHECK:   scf.for %[[P:.*]] = %[[C1]] to %[[ENTRIES]] step %[[C1]] {
// CHECK:     %[[PREVIOUS:.*]] = arith.index_cast
// CHECK:     %[[VALUE:.*]] = arith.index_cast
// CHECK:     dlc.fault{{.*}}offset_decreasing argument "offsets" (%[[P]], %[[VALUE]], %[[PREVIOUS]])
// CHECK:     dlc.fault{{.*}}offset_beyond_indices argument "offsets" (%[[P]], %[[VALUE]], %[[COUNT]])
// CHECK: dlc.fault{{.*}}shape_mismatch argument "out" (%[[C0]], %{{.*}}, %[[BAGS]])

// The nest, which runs only on good data. Row indices are left to the reader.
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: scf.for %[[B:.*]] = %[[C0]] to %[[BAGS]] step %[[C1]] {
// CHECK-NEXT:   scf.for %[[D:.*]] = %[[C0]] to %[[C64]] step %[[C1]] {
// CHECK-NEXT:     memref.store %[[ZERO]], %[[OUT]][%[[B]], %[[D]]]
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[LO64:.*]] = memref.load %[[BOUNDS]][%[[B]]]
// CHECK-NEXT:   %[[LO:.*]] = arith.index_cast %[[LO64]]
// CHECK-NEXT:   %[[B1:.*]] = arith.addi %[[B]], %[[C1]]
// CHECK-NEXT:   %[[HI64:.*]] = memref.load %[[BOUNDS]][%[[B1]]]
// CHECK-NEXT:   %[[HI:.*]] = arith.index_cast %[[HI64]]
// CHECK-NEXT:   scf.for %[[P:.*]] = %[[LO]] to %[[HI]] step %[[C1]] {
// CHECK-NEXT:     %[[I32:.*]] = memref.load %[[INDICES]][%[[P]]]
// CHECK-NEXT:     %[[I:.*]] = arith.index_cast %[[I32]]
// CHECK-NEXT:     %[[KEEP:.*]] = arith.cmpi ne, %[[I]], %[[PAD]]
// CHECK-NEXT:     scf.if %[[KEEP]] {
// CHECK-NEXT:       %[[W:.*]] = memref.load %[[WEIGHTS]][%[[P]]]
// CHECK-NEXT:       scf.for %[[D:.*]] = %[[C0]] to %[[C64]] step %[[C1]] {
// CHECK-NEXT:         %[[A:.*]] = memref.load %[[OUT]][%[[B]], %[[D]]]
// CHECK-NEXT:         %[[R:.*]] = memref.load %[[TABLE]][%[[I]], %[[D]]]
// CHECK-NEXT:         %[[WR:.*]] = arith.mulf %[[W]], %[[R]]
// CHECK-NEXT:         %[[S:.*]] = arith.addf %[[A]], %[[WR]]
// CHECK-NEXT:         memref.store %[[S]], %[[OUT]][%[[B]], %[[D]]]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: } {ember.kernel = "bag", ember.parallel}
func.func @sum(%table: memref<?x64xf32>, %indices: memref<?xi32>,
               %offsets: memref<?xi32>,
               %weights: memref<?xf32> {ember.name = "per_sample_weights"},
               %out: memref<?x64xf32>) {
  emb.bag sum
      ins(%table, %indices, %offsets
          : memref<?x64xf32>, memref<?xi32>, memref<?xi32>)
      weights(%weights : memref<?xf32>) outs(%out : memref<?x64xf32>)
      {padding_idx = -1 : i64}
  return
}

// -----

// With include_last_offset the offsets are used as they are, in their own type.
// CHECK-LABEL: func.func @include_last_offset(
// CHECK-SAME: %[[OFFSETS:[a-z0-9]+]]: memref<?xi32>
// CHECK-NOT: memref.alloc
// CHECK: %[[NOFFSETS:.*]] = memref.dim %[[OFFSETS]]
// CHECK: arith.subi %[[NOFFSETS]]
// CHECK: %[[BAGS:.*]] = arith.maxsi
// CHECK: dlc.fault{{.*}}offsets_empty argument "offsets"
// CHECK: scf.for %[[B:.*]] = %{{.*}} to %[[BAGS]]
// CHECK: memref.load %[[OFFSETS]][%[[B]]] : memref<?xi32>
func.func @include_last_offset(%offsets: memref<?xi32>, %table: memref<?x4xf32>,
                               %indices: memref<?xi64>, %out: memref<?x4xf32>) {
  emb.bag sum
      ins(%table, %indices, %offsets
          : memref<?x4xf32>, memref<?xi64>, memref<?xi32>)
      outs(%out : memref<?x4xf32>) {include_last_offset}
  return
}

// -----

// What static shapes show to hold is not checked at run time.
// CHECK-LABEL: func.func @static_shapes(
// CHECK-NOT: padding_out_of_range
// CHECK-NOT: shape_mismatch
// CHECK-NOT: offsets_empty
// CHECK: ember.kernel = "bag"
func.func @static_shapes(%table: memref<9x4xf32>, %indices: memref<5xi64>,
                         %offsets: memref<3xi64>, %out: memref<3x4xf32>) {
  emb.bag sum
      ins(%table, %indices, %offsets
          : memref<9x4xf32>, memref<5xi64>, memref<3xi64>)
      outs(%out : memref<3x4xf32>) {padding_idx = 2 : i64}
  return
}

// -----

// The mean counts the rows it keeps. Narrow floats accumulate in a private f32
// row and are rounded once.
// CHECK-LABEL: func.func @mean(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<?x8xbf16>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x8xbf16>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: dlc.fault{{.*}}shape_mismatch argument "out"
// CHECK: scf.if
// CHECK-NEXT: scf.for %[[B:.*]] = {{.*}} {
// CHECK-NEXT: %[[SUMS:.*]] = memref.alloca() : memref<8xf32>
// CHECK-NEXT: scf.for %[[D:.*]] = {{.*}} {
// CHECK-NEXT:   memref.store %{{.*}}, %[[SUMS]][%[[D]]]
// CHECK: %[[N:.*]] = scf.for {{.*}} iter_args(%[[K:.*]] = %[[ZERO]]) -> (i64) {
// CHECK:   %[[NEXT:.*]] = scf.if %{{.*}} -> (i64) {
// CHECK:     scf.for %[[D:.*]] = {{.*}} {
// CHECK:       %[[A:.*]] = memref.load %[[SUMS]][%[[D]]]
// CHECK:       %[[R:.*]] = memref.load %[[TABLE]][%{{.*}}, %[[D]]]
// CHECK:       %[[R32:.*]] = arith.extf %[[R]] : bf16 to f32
// CHECK:       %[[S:.*]] = arith.addf %[[A]], %[[R32]] : f32
// CHECK:       memref.store %[[S]], %[[SUMS]][%[[D]]]
// CHECK:     %[[K1:.*]] = arith.addi %[[K]], %[[ONE]]
// CHECK:     scf.yield %[[K1]]
// CHECK:   } else {
// CHECK:     scf.yield %[[K]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[N1:.*]] = arith.maxsi %[[N]], %[[ONE]]
// CHECK: %[[F:.*]] = arith.sitofp %[[N1]] : i64 to f32
// CHECK: scf.for %[[D:.*]] = {{.*}} {
// CHECK-NEXT:   %[[S:.*]] = memref.load %[[SUMS]][%[[D]]]
// CHECK-NEXT:   %[[Q:.*]] = arith.divf %[[S]], %[[F]] : f32
// CHECK-NEXT:   %[[T:.*]] = arith.truncf %[[Q]] : f32 to bf16
// CHECK-NEXT:   memref.store %[[T]], %[[OUT]][%[[B]], %[[D]]]
func.func @mean(%table: memref<?x8xbf16>, %out: memref<?x8xbf16>,
                %indices: memref<?xi64>, %offsets: memref<?xi64>) {
  emb.bag mean
      ins(%table, %indices, %offsets
          : memref<?x8xbf16>, memref<?xi64>, memref<?xi64>)
      outs(%out : memref<?x8xbf16>) {padding_idx = 0 : i64}
  return
}

// -----

// The first row is taken as it is, a later element if it is greater.
// CHECK-LABEL: func.func @max(
// CHECK: scf.for {{.*}} iter_args(%[[K:.*]] = %[[ZERO:.*]]) -> (i64) {
// CHECK-NOT: scf.if
// CHECK:   %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %[[ZERO]] : i64
// CHECK:   scf.for
// CHECK:     %[[GREATER:.*]] = arith.cmpf ogt, %[[R:.*]], %[[A:.*]] : f64
// CHECK:     %[[TAKE:.*]] = arith.ori %[[FIRST]], %[[GREATER]]
// CHECK:     arith.select %[[TAKE]], %[[R]], %[[A]] : f64
// CHECK:   arith.addi %[[K]]
// CHECK: ember.kernel = "bag"
func.func @max(%table: memref<?x8xf64>, %out: memref<?x8xf64>,
               %indices: memref<?xindex>, %offsets: memref<?xindex>) {
  emb.bag max
      ins(%table, %indices, %offsets
          : memref<?x8xf64>, memref<?xindex>, memref<?xindex>)
      outs(%out : memref<?x8xf64>)
  return
}

// -----

// Padding is tested after clamping.
// CHECK-LABEL: func.func @clamp(
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK-NEXT: %[[LOW:.*]] = arith.minsi %[[I]], %{{.*}}
// CHECK-NEXT: %[[ROW:.*]] = arith.maxsi %[[LOW]], %{{.*}}
// CHECK-NEXT: arith.cmpi ne, %[[ROW]], %{{.*}}
func.func @clamp(%table: memref<?x8xf32>, %out: memref<?x8xf32>,
                 %indices: memref<?xi32>, %offsets: memref<?xi64>) {
  emb.bag sum
      ins(%table, %indices, %offsets
          : memref<?x8xf32>, memref<?xi32>, memref<?xi64>)
      outs(%out : memref<?x8xf32>) {padding_idx = 0 : i64, oob = #emb.oob<clamp>}
  return
}

// -----

// CHECK-LABEL: func.func @skip_negative(
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK-NEXT: %[[NOTPAD:.*]] = arith.cmpi ne, %[[I]], %{{.*}}
// CHECK-NEXT: %[[NOTNEG:.*]] = arith.cmpi sge, %[[I]], %{{.*}}
// CHECK-NEXT: %[[KEEP:.*]] = arith.andi %[[NOTPAD]], %[[NOTNEG]]
// CHECK-NEXT: scf.if %[[KEEP]]
func.func @skip_negative(%table: memref<?x8xf32>, %out: memref<?x8xf32>,
                         %indices: memref<?xi32>, %offsets: memref<?xi64>) {
  emb.bag sum
      ins(%table, %indices, %offsets
          : memref<?x8xf32>, memref<?xi32>, memref<?xi64>)
      outs(%out : memref<?x8xf32>)
      {padding_idx = 3 : i64, oob = #emb.oob<skip_negative>}
  return
}

// -----

// Rows without columns are read by nobody, so the host checks their indices, as
// many as there are in bags.
// CHECK-LABEL: func.func @no_columns(
// CHECK-SAME: %[[INDICES:[a-z0-9]+]]: memref<?xi64>
// CHECK: %[[END:.*]] = memref.load
// CHECK: %[[USED:.*]] = arith.index_cast %[[END]]
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[USED]]
// CHECK:   %[[I64:.*]] = memref.load %[[INDICES]][%[[P]]]
// CHECK:   %[[I:.*]] = arith.index_cast %[[I64]]
// CHECK:   dlc.fault{{.*}}index_out_of_range argument "ids" (%[[P]], %[[I]], %{{.*}})
// CHECK-NOT: ember.kernel
func.func @no_columns(%indices: memref<?xi64> {ember.name = "ids"},
                      %offsets: memref<?xi64>, %table: memref<?x0xf32>,
                      %out: memref<?x0xf32>) {
  emb.bag max
      ins(%table, %indices, %offsets
          : memref<?x0xf32>, memref<?xi64>, memref<?xi64>)
      outs(%out : memref<?x0xf32>) {include_last_offset}
  return
}

// -----

// Indices of any rank are looped over flat.
// CHECK-LABEL: func.func @lookup(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<?x4xbf16>
// CHECK-SAME: %[[INDICES:[a-z0-9]+]]: memref<?x3xi64>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x3x4xbf16>
// CHECK: dlc.fault{{.*}}shape_mismatch argument "out"
// CHECK-NOT: dlc.fault
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[INDICES]] {{\[\[}}0, 1]]
// CHECK: %[[FLATOUT:.*]] = memref.collapse_shape %[[OUT]] {{\[\[}}0, 1], [2]]
// CHECK: %[[COUNT:.*]] = memref.dim %[[FLAT]]
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[COUNT]]
// CHECK-NEXT: %[[I64:.*]] = memref.load %[[FLAT]][%[[P]]]
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[I64]]
// CHECK-NEXT: scf.for %[[D:.*]] = {{.*}} {
// CHECK-NEXT:   %[[V:.*]] = memref.load %[[TABLE]][%[[I]], %[[D]]] : memref<?x4xbf16>
// CHECK-NEXT:   memref.store %[[V]], %[[FLATOUT]][%[[P]], %[[D]]]
// CHECK-NEXT: }
// CHECK-NEXT: } {ember.kernel = "lookup", ember.parallel}
func.func @lookup(%table: memref<?x4xbf16>, %indices: memref<?x3xi64>,
                  %out: memref<?x3x4xbf16>) {
  emb.lookup ins(%table, %indices : memref<?x4xbf16>, memref<?x3xi64>)
      outs(%out : memref<?x3x4xbf16>)
  return
}

// -----

// CHECK-LABEL: func.func @lookup_one(
// CHECK: memref.expand_shape %{{.*}} [] output_shape [1] : memref<i64> into memref<1xi64>
// CHECK: memref.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
func.func @lookup_one(%table: memref<?x4xf32>, %index: memref<i64>,
                      %out: memref<4xf32>) {
  emb.lookup ins(%table, %index : memref<?x4xf32>, memref<i64>)
      outs(%out : memref<4xf32>)
  return
}

// -----

// A skipped index gives a row of zeros.
// CHECK-LABEL: func.func @lookup_skip_negative(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<8x4xf32>
// CHECK: %[[KEEP:.*]] = arith.cmpi sge
// CHECK-NEXT: scf.if %[[KEEP]] {
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     memref.load
// CHECK-NEXT:     memref.store %{{.*}}, %[[OUT]]
// CHECK:      } else {
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     memref.store %{{.*}}, %[[OUT]]
func.func @lookup_skip_negative(%out: memref<8x4xf32>, %table: memref<?x4xf32>,
                                %indices: memref<8xi64>) {
  emb.lookup ins(%table, %indices : memref<?x4xf32>, memref<8xi64>)
      outs(%out : memref<8x4xf32>) {oob = #emb.oob<skip_negative>}
  return
}
