// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @mode(%table: memref<5x4xf32>, %indices: memref<?xi64>, %ids: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects one of the modes sum, mean, sqrtn, but got max}}
  emb.segment_bag max ins(%table, %indices, %ids : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @table(%table: memref<5x4xi32>, %indices: memref<?xi64>, %ids: memref<?xi64>, %out: memref<?x4xi32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects a table of f16, bf16, f32 or f64, but got 'i32'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xi32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xi32>)
  return
}

// -----

func.func @indices_rank(%table: memref<5x4xf32>, %indices: memref<?x2xi64>, %ids: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects indices of rank 1, but got 'memref<?x2xi64>'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<?x2xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @ids_rank(%table: memref<5x4xf32>, %indices: memref<?xi64>, %ids: memref<i64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects segment_ids of rank 1, but got 'memref<i64>'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<?xi64>, memref<i64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @ids_type(%table: memref<5x4xf32>, %indices: memref<?xi64>, %ids: memref<?xi16>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects segment_ids of i32, i64 or index, but got 'i16'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<?xi64>, memref<?xi16>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @ids_length(%table: memref<5x4xf32>, %indices: memref<3xi64>, %ids: memref<2xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects segment_ids of shape (3), but got 'memref<2xi64>'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<3xi64>, memref<2xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @weights_rank(%table: memref<5x4xf32>, %indices: memref<?xi64>, %ids: memref<?xi64>, %weights: memref<f32>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects weights of rank 1, but got 'memref<f32>'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) weights(%weights : memref<f32>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @weights_type(%table: memref<5x4xf16>, %indices: memref<?xi64>, %ids: memref<?xi64>, %weights: memref<?xf32>, %out: memref<?x4xf16>) {
  // expected-error@+1 {{'emb.segment_bag' op expects weights of the table's element type 'f16', but got 'f32'}}
  emb.segment_bag mean ins(%table, %indices, %ids : memref<5x4xf16>, memref<?xi64>, memref<?xi64>) weights(%weights : memref<?xf32>) outs(%out : memref<?x4xf16>)
  return
}

// -----

func.func @weights_length(%table: memref<5x4xf32>, %indices: memref<3xi64>, %ids: memref<3xi64>, %weights: memref<4xf32>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects weights of shape (3), but got 'memref<4xf32>'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<3xi64>, memref<3xi64>) weights(%weights : memref<4xf32>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @count_type(%table: memref<5x4xf32>, %indices: memref<?xi64>, %ids: memref<?xi64>, %n: f32, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op operand #3 must be i32, i64 or index, but got 'f32'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) num_segments(%n : f32) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @out_type(%table: memref<5x4xf16>, %indices: memref<?xi64>, %ids: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects out of the table's element type 'f16', but got 'f32'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf16>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @out_shape(%table: memref<5x4xf32>, %indices: memref<?xi64>, %ids: memref<?xi64>, %out: memref<?x3xf32>) {
  // expected-error@+1 {{'emb.segment_bag' op expects out of shape (?, 4), but got 'memref<?x3xf32>'}}
  emb.segment_bag sum ins(%table, %indices, %ids : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x3xf32>)
  return
}
