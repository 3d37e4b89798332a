// RUN: ember-opt %s --convert-emb-to-scf --split-input-file | FileCheck %s

// An index is held against the number of blocks.

// CHECK-LABEL: func.func @block_gather(
// CHECK-SAME: %[[T:[a-z0-9]+]]: memref<?x16xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[N:.*]] = memref.dim %[[T]], %c0
// CHECK: %[[BLOCKS:.*]] = arith.divui %[[N]], %c4
// CHECK: dlc.fault{{.*}}shape_mismatch argument "table" (%c0{{.*}}, %[[N]], %{{.*}})
// CHECK: %[[VIEW:.*]] = memref.expand_shape %[[T]] {{\[\[}}0, 1], [2]] output_shape [%[[BLOCKS]], 4, 16]
// CHECK: scf.for %[[P:.*]] = %c0{{.*}} to %c5{{.*}} step
// CHECK:   %[[I64:.*]] = memref.load %{{.*}}[%[[P]]] : memref<5xi64>
// CHECK:   %[[I:.*]] = arith.index_cast %[[I64]]
// CHECK:   scf.for %[[J:.*]] = %c0{{.*}} to %c4
// CHECK:     scf.for %[[D:.*]] = %c0{{.*}} to %c16
// CHECK-NEXT:  %[[X:.*]] = memref.load %[[VIEW]][%[[I]], %[[J]], %[[D]]]
// CHECK-NEXT:  memref.store %[[X]], %{{.*}}[%[[P]], %[[J]], %[[D]]]
// CHECK: } {ember.kernel = "block_gather", ember.parallel}
func.func @block_gather(%table: memref<?x16xf32, strided<[?, 1], offset: ?>>,
                        %blocks: memref<5xi64>, %out: memref<5x4x16xf32>) {
  emb.block_gather 4
      ins(%table, %blocks : memref<?x16xf32, strided<[?, 1], offset: ?>>, memref<5xi64>)
      outs(%out : memref<5x4x16xf32>)
  return
}

// -----

// A skipped block is zero.

// CHECK-LABEL: func.func @skip(
// CHECK: %[[KEEP:.*]] = arith.cmpi sge
// CHECK-NEXT: scf.if %[[KEEP]] {
// CHECK: memref.load
// CHECK: memref.store
// CHECK: } else {
// CHECK-NOT: memref.load
// CHECK: memref.store %cst
func.func @skip(%table: memref<8x16xf32>, %blocks: memref<5xi64>, %out: memref<5x4x16xf32>) {
  emb.block_gather 4
      ins(%table, %blocks : memref<8x16xf32>, memref<5xi64>)
      outs(%out : memref<5x4x16xf32>) {oob = #emb.oob<skip_negative>}
  return
}

// -----

// Nobody reads blocks without columns, so the host checks their indices.

// CHECK-LABEL: func.func @no_columns(
// CHECK: dlc.fault{{.*}}index_out_of_range argument "indices"
// CHECK-NOT: ember.kernel
func.func @no_columns(%table: memref<8x0xf32>, %blocks: memref<5xi64>, %out: memref<5x4x0xf32>) {
  emb.block_gather 4
      ins(%table, %blocks : memref<8x0xf32>, memref<5xi64>)
      outs(%out : memref<5x4x0xf32>)
  return
}
