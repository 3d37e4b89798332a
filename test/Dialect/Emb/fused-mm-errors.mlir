// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @function(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+2 {{expected one of [identity, dot, sigmoid_dot, gat] for the weight of an edge, got: tanh}}
  // expected-error@+1 {{failed to parse}}
  %0 = emb.fused_mm tanh ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @no_rows(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects rows with sigmoid_dot}}
  %0 = emb.fused_mm sigmoid_dot ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @rows(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects no rows with identity}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) rows(%h : tensor<5x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @no_scores(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects scores of rows and columns with gat}}
  %0 = emb.fused_mm gat ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {slope = 0.2 : f64} -> tensor<?x4xf32>
  return
}

// -----

func.func @scores(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %s: tensor<?xf32>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects no scores with identity}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) scores(%s, %s : tensor<?xf32>, tensor<?xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @no_slope(%h: tensor<?x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %s: tensor<?xf32>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects a slope with gat}}
  %0 = emb.fused_mm gat ins(%h, %columns, %rowptr : tensor<?x4xf32>, tensor<?xi64>, tensor<?xi64>) scores(%s, %s : tensor<?xf32>, tensor<?xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @slope(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects no slope with identity}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {slope = 0.2 : f64} -> tensor<?x4xf32>
  return
}

// -----

func.func @three_pass(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects three_pass with gat only, but the function is identity}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) {three_pass} -> tensor<?x4xf32>
  return
}

// -----

func.func @columns_type(%h: tensor<5x4xf32>, %columns: tensor<?xi8>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects columns of i32, i64 or index, but got 'i8'}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi8>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @columns_rank(%h: tensor<5x4xf32>, %columns: tensor<?x?xi64>, %rowptr: tensor<?xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects columns of rank 1, but got 'tensor<?x?xi64>'}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?x?xi64>, tensor<?xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @no_pointers(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<0xi64>, %out: tensor<?x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects at least one row pointer}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<0xi64>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @rows_shape(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<3xi64>, %out: tensor<2x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects rows of shape (2, 4), but got 'tensor<5x4xf32>'}}
  %0 = emb.fused_mm dot ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<3xi64>) rows(%h : tensor<5x4xf32>) outs(%out : tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scores_shape(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<3xi64>, %a: tensor<2xf32>, %b: tensor<4xf32>, %out: tensor<2x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects scores of columns of shape (5), but got 'tensor<4xf32>'}}
  %0 = emb.fused_mm gat ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<3xi64>) scores(%a, %b : tensor<2xf32>, tensor<4xf32>) outs(%out : tensor<2x4xf32>) {slope = 0.2 : f64} -> tensor<2x4xf32>
  return
}

// -----

func.func @scores_type(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<3xi64>, %a: tensor<2xf64>, %b: tensor<5xf32>, %out: tensor<2x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects scores of rows of the table's element type 'f32', but got 'f64'}}
  %0 = emb.fused_mm gat ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<3xi64>) scores(%a, %b : tensor<2xf64>, tensor<5xf32>) outs(%out : tensor<2x4xf32>) {slope = 0.2 : f64} -> tensor<2x4xf32>
  return
}

// -----

func.func @out_shape(%h: tensor<5x4xf32>, %columns: tensor<?xi64>, %rowptr: tensor<3xi64>, %out: tensor<3x4xf32>) {
  // expected-error@+1 {{'emb.fused_mm' op expects out of shape (2, 4), but got 'tensor<3x4xf32>'}}
  %0 = emb.fused_mm identity ins(%h, %columns, %rowptr : tensor<5x4xf32>, tensor<?xi64>, tensor<3xi64>) outs(%out : tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
