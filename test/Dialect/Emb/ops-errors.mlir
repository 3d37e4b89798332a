// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @mode(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+2 {{expected one of [sum, mean, max, min, sqrtn] for how several rows become one, got: median}}
  // expected-error@+1 {{failed to parse}}
  %0 = emb.bag median ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @mode_of_another_op(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects one of the modes sum, mean, max, but got min}}
  %0 = emb.bag min ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @oob(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+2 {{expected one of [error, clamp, skip_negative] for what an index outside the table means, got: wrap}}
  // expected-error@+1 {{failed to parse}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {oob = #emb.oob<wrap>} -> tensor<?x4xf32>
  return
}

// -----

func.func @mixed(%table: memref<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects all operands to be tensors or all to be memrefs}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : memref<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @unranked_table(%table: tensor<*xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op operand #0 must be ranked tensor or strided memref of floats, N x D, but got 'tensor<*xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<*xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_rank_0(%table: tensor<f32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a table of rank 2, rows by columns, but got 'tensor<f32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<f32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_rank_1(%table: tensor<4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a table of rank 2, rows by columns, but got 'tensor<4xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_rank_3(%table: tensor<5x4x1xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a table of rank 2, rows by columns, but got 'tensor<5x4x1xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4x1xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_integer(%table: tensor<5x4xi32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a table of f16, bf16, f32 or f64, but got 'i32'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xi32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_float8(%table: tensor<5x4xf8E4M3FN>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a table of f16, bf16, f32 or f64, but got 'f8E4M3FN'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf8E4M3FN>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_complex(%table: tensor<5x4xcomplex<f32>>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a table of f16, bf16, f32 or f64, but got 'complex<f32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xcomplex<f32>>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @table_columns(%table: tensor<5x?xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects a static number of columns in the table, but got 'tensor<5x?xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x?xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @indices_float(%table: tensor<5x4xf32>, %indices: tensor<?xf32>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects indices of i32, i64 or index, but got 'f32'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xf32>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @indices_i16(%table: tensor<5x4xf32>, %indices: tensor<?xi16>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects indices of i32, i64 or index, but got 'i16'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi16>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @indices_unsigned(%table: tensor<5x4xf32>, %indices: tensor<?xui32>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects indices of i32, i64 or index, but got 'ui32'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xui32>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @offsets_bool(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi1>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects offsets of i32, i64 or index, but got 'i1'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi1>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @indices_rank(%table: tensor<5x4xf32>, %indices: tensor<?x?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects indices of rank 1, but got 'tensor<?x?xi64>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?x?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @indices_rank_0(%table: tensor<5x4xf32>, %indices: tensor<i64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects indices of rank 1, but got 'tensor<i64>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<i64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @offsets_rank(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?x?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects offsets of rank 1, but got 'tensor<?x?xi64>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?x?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @weights_mean(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %weights: tensor<?xf32>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects weights only with sum, but the mode is mean}}
  %0 = emb.bag mean ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) weights(%weights : tensor<?xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @weights_max(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %weights: tensor<?xf32>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects weights only with sum, but the mode is max}}
  %0 = emb.bag max ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) weights(%weights : tensor<?xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @weights_rank(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %weights: tensor<?x?xf32>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects weights of rank 1, but got 'tensor<?x?xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) weights(%weights : tensor<?x?xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @weights_type(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %weights: tensor<?xf64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects weights of the table's element type 'f32', but got 'f64'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) weights(%weights : tensor<?xf64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @weights_length(%table: tensor<5x4xf32>, %indices: tensor<3xi64>, %offsets: tensor<?xi64>, %weights: tensor<4xf32>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects weights of shape (3), but got 'tensor<4xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<3xi64>, tensor<?xi64>) weights(%weights : tensor<4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @offsets_empty(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<0xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects at least one offset with include_last_offset}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<0xi64>) outs(%out : tensor<?x4xf32>) {include_last_offset} -> tensor<?x4xf32>
  return
}

// -----

func.func @out_rank(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects out of rank 2, but got 'tensor<4xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @out_type(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xbf16>) {
  // expected-error@+1 {{'emb.bag' op expects out of the table's element type 'f32', but got 'bf16'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xbf16>) -> tensor<?x4xbf16>
  return
}

// -----

func.func @out_columns(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x5xf32>) {
  // expected-error@+1 {{'emb.bag' op expects out of shape (?, 4), but got 'tensor<?x5xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x5xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @out_rows(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<3xi64>, %out: tensor<2x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects out of shape (3, 4), but got 'tensor<2x4xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<3xi64>) outs(%out : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @out_rows_include_last_offset(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<3xi64>, %out: tensor<3x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects out of shape (2, 4), but got 'tensor<3x4xf32>'}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<3xi64>) outs(%out : tensor<3x4xf32>) {include_last_offset} -> tensor<3x4xf32>
  return
}

// -----

func.func @padding_too_large(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects padding_idx to name a row of the table, -5 to 4, but got 5}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {padding_idx = 5 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @padding_too_small(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects padding_idx to name a row of the table, -5 to 4, but got -6}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {padding_idx = -6 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @padding_without_rows(%table: tensor<0x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.bag' op expects padding_idx to name a row of the table, which has none, but got 0}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<0x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {padding_idx = 0 : i64} -> tensor<?x4xf32>
  return
}

// -----

func.func @result_type(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %offsets: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{expected type of operand #3 ('tensor<?x4xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @result_on_memrefs(%table: memref<5x4xf32>, %indices: memref<?xi64>, %offsets: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %0 = emb.bag sum ins(%table, %indices, %offsets : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @lookup_mixed(%table: tensor<5x4xf32>, %indices: memref<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects all operands to be tensors or all to be memrefs}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, memref<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @lookup_table_integer(%table: tensor<5x4xi64>, %indices: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects a table of f16, bf16, f32 or f64, but got 'i64'}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @lookup_indices_type(%table: tensor<5x4xf32>, %indices: tensor<?xi8>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects indices of i32, i64 or index, but got 'i8'}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, tensor<?xi8>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @lookup_out_type(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %out: tensor<?x4xf16>) {
  // expected-error@+1 {{'emb.lookup' op expects out of the table's element type 'f32', but got 'f16'}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, tensor<?xi64>) outs(%out : tensor<?x4xf16>) -> tensor<?x4xf16>
  return
}

// -----

func.func @lookup_out_rank(%table: tensor<5x4xf32>, %indices: tensor<?x?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects out of shape (?, ?, 4), but got 'tensor<?x4xf32>'}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, tensor<?x?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @lookup_out_shape(%table: tensor<5x4xf32>, %indices: tensor<2x3xi64>, %out: tensor<3x2x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects out of shape (2, 3, 4), but got 'tensor<3x2x4xf32>'}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, tensor<2x3xi64>) outs(%out : tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @lookup_scalar_out_shape(%table: tensor<5x4xf32>, %indices: tensor<i64>, %out: tensor<1x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects out of shape (4), but got 'tensor<1x4xf32>'}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, tensor<i64>) outs(%out : tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @lookup_padding(%table: tensor<5x4xf32>, %indices: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.lookup' op expects padding_idx to name a row of the table, -5 to 4, but got 7}}
  %0 = emb.lookup ins(%table, %indices : tensor<5x4xf32>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {padding_idx = 7 : i64} -> tensor<?x4xf32>
  return
}
