// RUN: ember-opt %s --split-input-file --verify-diagnostics

func.func @function(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+2 {{expected one of [transe, distmult, complex, rotate] for how plausible a triple is, got: hole}}
  // expected-error@+1 {{failed to parse}}
  %0 = emb.score hole ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @no_p(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects p with transe}}
  %0 = emb.score transe ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @p(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects no p with distmult}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) {p = 1 : i64} -> tensor<8xf32>
  return
}

// -----

func.func @p_value(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects p of 1 or 2, but got 3}}
  %0 = emb.score transe ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) {p = 3 : i64} -> tensor<8xf32>
  return
}

// -----

func.func @gamma(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects no gamma with complex}}
  %0 = emb.score complex ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) {gamma = 1.0 : f64} -> tensor<8xf32>
  return
}

// -----

func.func @odd(%e: tensor<5x3xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects an even number of columns with rotate, but got 3}}
  %0 = emb.score rotate ins(%e, %r, %ids : tensor<5x3xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @relations(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects relations of 2 columns with rotate of 4, but got 4}}
  %0 = emb.score rotate ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @relations_type(%e: tensor<5x4xf32>, %r: tensor<2x4xf64>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects relations of the table's element type 'f32', but got 'f64'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf64>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @relation_ids_rank(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8x1xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects relation_ids of rank 1, but got 'tensor<8x1xi64>'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8x1xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @ids_type(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi1>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects relation_ids of i32, i64 or index, but got 'i1'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi1>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @heads_rank(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8x1x1xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects heads of rank 1, or 2 for candidates, but got 'tensor<8x1x1xi64>'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8x1x1xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @heads_count(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<7xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects as many heads as relation_ids, but got 'tensor<7xi64>' and 'tensor<8xi64>'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<7xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @both(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8x3xi64>, %tails: tensor<8x3xi64>, %out: tensor<8x3xf32>) {
  // expected-error@+1 {{'emb.score' op expects candidates for heads or for tails, not for both}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8x3xi64>) tails(%tails : tensor<8x3xi64>) outs(%out : tensor<8x3xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @all_and_list(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %tails: tensor<8x3xi64>, %out: tensor<8x3xf32>) {
  // expected-error@+1 {{'emb.score' op expects candidates for heads or for tails, not for both}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) tails(%tails : tensor<8x3xi64>) outs(%out : tensor<8x3xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @nothing(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %out: tensor<8x5xf32>) {
  // expected-error@+1 {{'emb.score' op expects candidates for heads or for tails, not for both}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) outs(%out : tensor<8x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @out_shape(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf32>) {
  // expected-error@+1 {{'emb.score' op expects out of shape (8, 5), but got 'tensor<8xf32>'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @out_type(%e: tensor<5x4xf32>, %r: tensor<2x4xf32>, %ids: tensor<8xi64>, %heads: tensor<8xi64>, %tails: tensor<8xi64>, %out: tensor<8xf64>) {
  // expected-error@+1 {{'emb.score' op expects out of the table's element type 'f32', but got 'f64'}}
  %0 = emb.score distmult ins(%e, %r, %ids : tensor<5x4xf32>, tensor<2x4xf32>, tensor<8xi64>) heads(%heads : tensor<8xi64>) tails(%tails : tensor<8xi64>) outs(%out : tensor<8xf64>) -> tensor<8xf64>
  return
}
