// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @mode(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects one of the modes sum, mean, max, min, but got sqrtn}}
  emb.spmm sqrtn ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @table(%h: memref<5xf32>, %columns: memref<?xi64>, %rowptr: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects a table of rank 2, rows by columns, but got 'memref<5xf32>'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5xf32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @columns_rank(%h: memref<5x4xf32>, %columns: memref<?x1xi64>, %rowptr: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects columns of rank 1, but got 'memref<?x1xi64>'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?x1xi64>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @columns_type(%h: memref<5x4xf32>, %columns: memref<?xi8>, %rowptr: memref<?xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects columns of i32, i64 or index, but got 'i8'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi8>, memref<?xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @rowptr_rank(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<i64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects rowptr of rank 1, but got 'memref<i64>'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<i64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @rowptr_type(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<?xf32>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects rowptr of i32, i64 or index, but got 'f32'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<?xf32>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @rowptr_empty(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<0xi64>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects at least one row pointer}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<0xi64>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @values_rank(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<?xi64>, %values: memref<?x4xf32>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects values of rank 1, but got 'memref<?x4xf32>'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) values(%values : memref<?x4xf32>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @values_type(%h: memref<5x4xf64>, %columns: memref<?xi64>, %rowptr: memref<?xi64>, %values: memref<?xf32>, %out: memref<?x4xf64>) {
  // expected-error@+1 {{'emb.spmm' op expects values of the table's element type 'f64', but got 'f32'}}
  emb.spmm max ins(%h, %columns, %rowptr : memref<5x4xf64>, memref<?xi64>, memref<?xi64>) values(%values : memref<?xf32>) outs(%out : memref<?x4xf64>)
  return
}

// -----

func.func @values_length(%h: memref<5x4xf32>, %columns: memref<7xi64>, %rowptr: memref<?xi64>, %values: memref<6xf32>, %out: memref<?x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects values of shape (7), but got 'memref<6xf32>'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<7xi64>, memref<?xi64>) values(%values : memref<6xf32>) outs(%out : memref<?x4xf32>)
  return
}

// -----

func.func @out_type(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<?xi64>, %out: memref<?x4xf64>) {
  // expected-error@+1 {{'emb.spmm' op expects out of the table's element type 'f32', but got 'f64'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<?xi64>) outs(%out : memref<?x4xf64>)
  return
}

// -----

func.func @out_shape(%h: memref<5x4xf32>, %columns: memref<?xi64>, %rowptr: memref<4xi64>, %out: memref<4x4xf32>) {
  // expected-error@+1 {{'emb.spmm' op expects out of shape (3, 4), but got 'memref<4x4xf32>'}}
  emb.spmm sum ins(%h, %columns, %rowptr : memref<5x4xf32>, memref<?xi64>, memref<4xi64>) outs(%out : memref<4x4xf32>)
  return
}
