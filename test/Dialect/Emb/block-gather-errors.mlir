// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @no_block(%table: memref<8x4xf32>, %i: memref<3xi64>, %out: memref<3x0x4xf32>) {
  // expected-error@+1 {{attribute 'block' failed to satisfy constraint}}
  emb.block_gather 0 ins(%table, %i : memref<8x4xf32>, memref<3xi64>) outs(%out : memref<3x0x4xf32>)
  return
}

// -----

func.func @broken_block(%table: memref<9x4xf32>, %i: memref<3xi64>, %out: memref<3x2x4xf32>) {
  // expected-error@+1 {{expects whole blocks of 2 rows in table, but got 'memref<9x4xf32>'}}
  emb.block_gather 2 ins(%table, %i : memref<9x4xf32>, memref<3xi64>) outs(%out : memref<3x2x4xf32>)
  return
}

// -----

func.func @out_shape(%table: memref<8x4xf32>, %i: memref<3xi64>, %out: memref<6x4xf32>) {
  // expected-error@+1 {{expects out of shape (3, 2, 4), but got 'memref<6x4xf32>'}}
  emb.block_gather 2 ins(%table, %i : memref<8x4xf32>, memref<3xi64>) outs(%out : memref<6x4xf32>)
  return
}

// -----

func.func @out_type(%table: memref<8x4xf32>, %i: memref<3xi64>, %out: memref<3x2x4xf64>) {
  // expected-error@+1 {{expects out of the table's element type 'f32', but got 'f64'}}
  emb.block_gather 2 ins(%table, %i : memref<8x4xf32>, memref<3xi64>) outs(%out : memref<3x2x4xf64>)
  return
}

// -----

func.func @index_type(%table: memref<8x4xf32>, %i: memref<3xi8>, %out: memref<3x2x4xf32>) {
  // expected-error@+1 {{expects indices of i32, i64 or index, but got 'i8'}}
  emb.block_gather 2 ins(%table, %i : memref<8x4xf32>, memref<3xi8>) outs(%out : memref<3x2x4xf32>)
  return
}
