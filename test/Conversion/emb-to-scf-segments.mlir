// RUN: ember-opt %s --convert-emb-to-scf --canonicalize --cse --canonicalize \
// RUN:   --split-input-file | FileCheck %s

// Ids are checked, become bounds of segments, and the rest is as for bags.

// CHECK-LABEL: func.func @segment_mean(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<?x8xf32>
// CHECK-SAME: %[[INDICES:[a-z0-9]+]]: memref<?xi64>
// CHECK-SAME: %[[IDS:[a-z0-9]+]]: memref<?xi32>
// CHECK-SAME: %[[WEIGHTS:[a-z0-9]+]]: memref<?xf32>
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x8xf32>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[COUNT:.*]] = memref.dim %[[INDICES]], %[[C0]]
// CHECK: dlc.fault{{.*}}shape_mismatch argument "segment_ids"
// CHECK: dlc.fault{{.*}}shape_mismatch argument "weights"
// CHECK: %[[SEGMENTS:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK: dlc.fault{{.*}}segment_count_negative argument "num_segments" (%[[C0]], %[[SEGMENTS]], %[[C0]])
// CHECK: %[[BAD:.*]] = scf.if
// CHECK: scf.if %[[BAD]] {
// CHECK:   dlc.fault{{.*}}segment_negative argument "segment_ids" (%[[C0]], %{{.*}}, %[[C0]])
// CHECK:   dlc.fault{{.*}}segment_beyond_count argument "segment_ids" (%[[C0]], %{{.*}}, %[[SEGMENTS]])
// CHECK:   scf.for %[[P:.*]] = %[[C1]] to %[[COUNT]]
// CHECK:     dlc.fault{{.*}}segment_decreasing argument "segment_ids" (%[[P]], %[[ID:.*]], %{{.*}})
// CHECK:     dlc.fault{{.*}}segment_beyond_count argument "segment_ids" (%[[P]], %[[ID]], %[[SEGMENTS]])
// CHECK: dlc.fault{{.*}}shape_mismatch argument "out" (%[[C0]], %{{.*}}, %[[SEGMENTS]])

// CHECK: scf.if
// CHECK-NEXT: %[[ENTRIES:.*]] = arith.addi %[[SEGMENTS]], %[[C1]]
// CHECK-NEXT: %[[BOUNDS:.*]] = memref.alloc(%[[ENTRIES]]) {{.*}} : memref<?xi64>
// CHECK-NEXT: scf.for %[[S:.*]] = %[[C0]] to %[[ENTRIES]]
// CHECK-NEXT:   memref.store %[[NONE]], %[[BOUNDS]][%[[S]]]
// CHECK:      scf.for %[[P:.*]] = %[[C0]] to %[[COUNT]]
// CHECK-DAG:    %[[P1:.*]] = arith.addi %[[P]], %[[C1]]
// CHECK-DAG:    %[[END:.*]] = arith.index_cast %[[P1]] : index to i64
// CHECK-DAG:    %[[ID:.*]] = memref.load %[[IDS]][%[[P]]]
// CHECK-DAG:    %[[AT:.*]] = arith.index_cast %[[ID]] : i32 to index
// CHECK-DAG:    %[[NEXT:.*]] = arith.addi %[[AT]], %[[C1]]
// CHECK:        memref.store %[[END]], %[[BOUNDS]][%[[NEXT]]]
// CHECK:      scf.for %[[S:.*]] = %[[C0]] to %[[SEGMENTS]] {{.*}} iter_args(%[[LAST:.*]] = %[[NONE]]) -> (i64)
// CHECK-NEXT:   %[[S1:.*]] = arith.addi %[[S]], %[[C1]]
// CHECK-NEXT:   %[[END:.*]] = memref.load %[[BOUNDS]][%[[S1]]]
// CHECK-NEXT:   %[[MAX:.*]] = arith.maxsi %[[END]], %[[LAST]]
// CHECK-NEXT:   memref.store %[[MAX]], %[[BOUNDS]][%[[S1]]]
// CHECK-NEXT:   scf.yield %[[MAX]]

// The sum of weights divides, unless it is 0.
// CHECK:      scf.for %[[S:.*]] = %[[C0]] to %[[SEGMENTS]]
// CHECK:        %[[DIVISOR:.*]] = scf.for {{.*}} iter_args(%[[TALLY:.*]] = %[[ZERO]]) -> (f32)
// CHECK:          %[[W:.*]] = memref.load %[[WEIGHTS]]
// CHECK:          arith.mulf %[[W]], %{{.*}}
// CHECK:          %[[MORE:.*]] = arith.addf %[[TALLY]], %[[W]]
// CHECK-NEXT:     scf.yield %[[MORE]]
// CHECK:        %[[NOTHING:.*]] = arith.cmpf oeq, %[[DIVISOR]], %[[ZERO]]
// CHECK-NEXT:   scf.for
// CHECK:          %[[Q:.*]] = arith.divf %{{.*}}, %[[DIVISOR]]
// CHECK-NEXT:     %[[R:.*]] = arith.select %[[NOTHING]], %[[ZERO]], %[[Q]]
// CHECK-NEXT:     memref.store %[[R]], %[[OUT]]
// CHECK: } {ember.kernel = "segment_bag", ember.parallel}
func.func @segment_mean(%table: memref<?x8xf32>, %indices: memref<?xi64>,
                        %ids: memref<?xi32>, %weights: memref<?xf32>, %n: i64,
                        %out: memref<?x8xf32>) {
  emb.segment_bag mean
      ins(%table, %indices, %ids
          : memref<?x8xf32>, memref<?xi64>, memref<?xi32>)
      weights(%weights : memref<?xf32>) num_segments(%n : i64)
      outs(%out : memref<?x8xf32>)
  return
}

// -----

// Without num_segments the last id says how many there are, and none is beyond.
// CHECK-LABEL: func.func @segment_count(
// CHECK-SAME: %[[IDS:[a-z0-9]+]]: memref<?xi64>
// CHECK-NOT: segment_beyond_count
// CHECK: %[[SEGMENTS:.*]] = scf.if %{{.*}} -> (index) {
// CHECK:   %[[LAST:.*]] = memref.load %[[IDS]]
// CHECK: dlc.fault{{.*}}shape_mismatch argument "out" (%{{.*}}, %{{.*}}, %[[SEGMENTS]])
// CHECK: memref.alloca() : memref<8xf32>
// CHECK: %[[N:.*]] = scf.for {{.*}} -> (i64)
// CHECK: %[[N1:.*]] = arith.maxsi %[[N]], %{{.*}} : i64
// CHECK: %[[F:.*]] = arith.sitofp %[[N1]] : i64 to f32
// CHECK: math.sqrt %[[F]] : f32
func.func @segment_count(%ids: memref<?xi64>, %table: memref<?x8xf16>,
                         %indices: memref<?xi64>, %out: memref<?x8xf16>) {
  emb.segment_bag sqrtn
      ins(%table, %indices, %ids
          : memref<?x8xf16>, memref<?xi64>, memref<?xi64>)
      outs(%out : memref<?x8xf16>)
  return
}

// -----

// CHECK-LABEL: func.func @segment_root_of_squares(
// CHECK: %[[N:.*]] = scf.for {{.*}} iter_args(%[[TALLY:.*]] = %{{.*}}) -> (f64)
// CHECK:   %[[SQUARE:.*]] = arith.mulf %[[W:.*]], %[[W]] : f64
// CHECK:   arith.addf %[[TALLY]], %[[SQUARE]] : f64
// CHECK: %[[ROOT:.*]] = math.sqrt %[[N]] : f64
// CHECK: arith.cmpf oeq, %[[ROOT]]
func.func @segment_root_of_squares(%table: memref<?x8xf64>,
                                   %indices: memref<?xi64>,
                                   %ids: memref<?xi64>,
                                   %weights: memref<?xf64>,
                                   %out: memref<?x8xf64>) {
  emb.segment_bag sqrtn
      ins(%table, %indices, %ids
          : memref<?x8xf64>, memref<?xi64>, memref<?xi64>)
      weights(%weights : memref<?xf64>) outs(%out : memref<?x8xf64>)
  return
}

// -----

// Row pointers must end where the edges do. A maximum starts below every number;
// a row without edges does not keep that.
// CHECK-LABEL: func.func @spmm_max(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: memref<?x8xf32>
// CHECK-SAME: %[[COLUMNS:[a-z0-9]+]]: memref<?xi64>
// CHECK-SAME: %[[ROWPTR:[a-z0-9]+]]: memref<?xi32>
// CHECK-SAME: %[[VALUES:[a-z0-9]+]]: memref<?xf32>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?x8xf32>
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[EDGES:.*]] = memref.dim %[[COLUMNS]]
// CHECK: %[[POINTERS:.*]] = memref.dim %[[ROWPTR]]
// CHECK: dlc.fault{{.*}}shape_mismatch argument "values"
// CHECK: dlc.fault{{.*}}offsets_empty argument "rowptr"
// CHECK: dlc.fault{{.*}}offset_not_zero argument "rowptr"
// CHECK: dlc.fault{{.*}}offset_decreasing argument "rowptr"
// CHECK: dlc.fault{{.*}}offset_beyond_indices argument "rowptr"
// CHECK: dlc.fault{{.*}}offsets_end_early argument "rowptr" (%{{.*}}, %{{.*}}, %[[EDGES]])
// CHECK: dlc.fault{{.*}}shape_mismatch argument "out"
// CHECK: scf.for %[[U:.*]] = {{.*}} {
// CHECK-NEXT: scf.for %[[D:.*]] = {{.*}} {
// CHECK-NEXT:   memref.store %[[LOWEST]], %[[OUT]][%[[U]], %[[D]]]
// CHECK: memref.load %[[ROWPTR]][%[[U]]] : memref<?xi32>
// CHECK: %[[N:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[NONE]]) -> (i64) {
// CHECK:   %[[WR:.*]] = arith.mulf %{{.*}}, %{{.*}}
// CHECK:   arith.maximumf %{{.*}}, %[[WR]] fastmath<nsz> : f32
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq, %[[N]], %[[NONE]] : i64
// CHECK-NEXT: scf.for %[[D:.*]] = {{.*}} {
// CHECK-NEXT:   %[[M:.*]] = memref.load %[[OUT]][%[[U]], %[[D]]]
// CHECK-NEXT:   %[[R:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[M]]
// CHECK-NEXT:   memref.store %[[R]], %[[OUT]][%[[U]], %[[D]]]
// CHECK: } {ember.kernel = "spmm", ember.parallel}
func.func @spmm_max(%h: memref<?x8xf32>, %columns: memref<?xi64>,
                    %rowptr: memref<?xi32>, %values: memref<?xf32>,
                    %out: memref<?x8xf32>) {
  emb.spmm max
      ins(%h, %columns, %rowptr
          : memref<?x8xf32>, memref<?xi64>, memref<?xi32>)
      values(%values : memref<?xf32>) outs(%out : memref<?x8xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @spmm_min(
// CHECK: arith.constant 0x7FF0000000000000 : f64
// CHECK: arith.minimumf %{{.*}}, %{{.*}} fastmath<nsz> : f64
func.func @spmm_min(%h: memref<?x8xf64>, %columns: memref<?xi64>,
                    %rowptr: memref<?xi64>, %out: memref<?x8xf64>) {
  emb.spmm min
      ins(%h, %columns, %rowptr
          : memref<?x8xf64>, memref<?xi64>, memref<?xi64>)
      outs(%out : memref<?x8xf64>)
  return
}

// -----

// The mean divides by the number of edges, whatever their values.
// CHECK-LABEL: func.func @spmm_mean(
// CHECK: %[[N:.*]] = scf.for {{.*}} -> (i64)
// CHECK: %[[N1:.*]] = arith.maxsi %[[N]]
// CHECK: %[[F:.*]] = arith.sitofp %[[N1]] : i64 to f32
// CHECK: arith.divf %{{.*}}, %[[F]]
func.func @spmm_mean(%h: memref<?x8xf32>, %columns: memref<?xi64>,
                     %rowptr: memref<?xi64>, %values: memref<?xf32>,
                     %out: memref<?x8xf32>) {
  emb.spmm mean
      ins(%h, %columns, %rowptr
          : memref<?x8xf32>, memref<?xi64>, memref<?xi64>)
      values(%values : memref<?xf32>) outs(%out : memref<?x8xf32>)
  return
}
