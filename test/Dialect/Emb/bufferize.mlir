// RUN: ember-opt %s --ember-bufferize --canonicalize | FileCheck %s

// The destination is not read, so it is a plain allocation; matrices of floats
// may be views with any row stride, vectors may start anywhere.
// CHECK-LABEL: func.func @bag(
// CHECK-SAME: %[[TABLE:.*]]: memref<?x64xbf16, strided<[?, 1], offset: ?>> {ember.name = "table", ember.parameter}
// CHECK-SAME: %[[INDICES:.*]]: memref<?xi32, strided<[1], offset: ?>> {ember.name = "indices"}
// CHECK-SAME: %[[OFFSETS:.*]]: memref<?xi64, strided<[1], offset: ?>> {ember.name = "offsets"}
// CHECK-SAME: %[[WEIGHTS:.*]]: memref<?xbf16, strided<[1], offset: ?>>)
// CHECK-SAME: -> (memref<?x64xbf16> {ember.name = "result"})
// CHECK: %[[BAGS:.*]] = memref.dim %[[OFFSETS]]
// CHECK: %[[OUT:.*]] = memref.alloc(%[[BAGS]]) {alignment = 64 : i64} : memref<?x64xbf16>
// CHECK-NOT: memref.copy
// CHECK: emb.bag sum ins(%[[TABLE]], %[[INDICES]], %[[OFFSETS]] :
// CHECK-SAME: weights(%[[WEIGHTS]] : memref<?xbf16, strided<[1], offset: ?>>)
// CHECK-SAME: outs(%[[OUT]] : memref<?x64xbf16>) {oob = #emb.oob<skip_negative>, padding_idx = -1 : i64}
// CHECK-NEXT: return %[[OUT]]
func.func @bag(
    %table: tensor<?x64xbf16> {ember.name = "table", ember.parameter},
    %indices: tensor<?xi32> {ember.name = "indices"},
    %offsets: tensor<?xi64> {ember.name = "offsets"}, %weights: tensor<?xbf16>)
    -> (tensor<?x64xbf16> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %bags = tensor.dim %offsets, %c0 : tensor<?xi64>
  %out = tensor.empty(%bags) : tensor<?x64xbf16>
  %r = emb.bag sum
      ins(%table, %indices, %offsets
          : tensor<?x64xbf16>, tensor<?xi32>, tensor<?xi64>)
      weights(%weights : tensor<?xbf16>) outs(%out : tensor<?x64xbf16>)
      {oob = #emb.oob<skip_negative>, padding_idx = -1 : i64}
      -> tensor<?x64xbf16>
  return %r : tensor<?x64xbf16>
}

// Matrices of integers are without gaps, and so is everything of rank 3.
// CHECK-LABEL: func.func @lookup(
// CHECK-SAME: %{{.*}}: memref<?x3xi64>, %{{.*}}: memref<i32>)
// CHECK-SAME: -> (memref<?x3x4xf32>, memref<4xf32>)
func.func @lookup(%table: tensor<?x4xf32>, %indices: tensor<?x3xi64>,
                  %index: tensor<i32>)
    -> (tensor<?x3x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %indices, %c0 : tensor<?x3xi64>
  %out0 = tensor.empty(%n) : tensor<?x3x4xf32>
  %0 = emb.lookup ins(%table, %indices : tensor<?x4xf32>, tensor<?x3xi64>)
      outs(%out0 : tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  %out1 = tensor.empty() : tensor<4xf32>
  %1 = emb.lookup ins(%table, %index : tensor<?x4xf32>, tensor<i32>)
      outs(%out1 : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<?x3x4xf32>, tensor<4xf32>
}

// An argument is never written, and a destination that is overwritten in full
// need not be copied for that.
// CHECK-LABEL: func.func @argument_as_destination(
// CHECK-SAME: %[[TABLE:.*]]: memref<8x4xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[OUT:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: emb.lookup ins(%[[TABLE]], {{.*}} outs(%[[OUT]]
func.func @argument_as_destination(%table: tensor<8x4xf32>,
                                   %indices: tensor<8xi64>)
    -> tensor<8x4xf32> {
  %0 = emb.lookup ins(%table, %indices : tensor<8x4xf32>, tensor<8xi64>)
      outs(%table : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A table that is looked up after it was looked up into.
// CHECK-LABEL: func.func @two_layers(
// CHECK: %[[FIRST:.*]] = memref.alloc()
// CHECK: emb.lookup {{.*}} outs(%[[FIRST]]
// CHECK: %[[SECOND:.*]] = memref.alloc()
// CHECK: emb.lookup ins(%[[FIRST]], {{.*}} outs(%[[SECOND]]
func.func @two_layers(%table: tensor<?x4xf32>, %indices: tensor<8xi64>)
    -> tensor<8x4xf32> {
  %out = tensor.empty() : tensor<8x4xf32>
  %0 = emb.lookup ins(%table, %indices : tensor<?x4xf32>, tensor<8xi64>)
      outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = emb.lookup ins(%0, %indices : tensor<8x4xf32>, tensor<8xi64>)
      outs(%0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// What is flattened has adjacent rows: a copy would be needed otherwise.
// CHECK-LABEL: func.func @flattens(
// CHECK-SAME: memref<?x4xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME: %[[WEIGHTS:[^:]*]]: memref<?x?xf32>)
// CHECK-NOT: memref.copy
// CHECK: memref.collapse_shape %[[WEIGHTS]] {{.*}} : memref<?x?xf32> into memref<?xf32>
func.func @flattens(%table: tensor<?x4xf32>, %indices: tensor<?xi64>,
                    %offsets: tensor<3xi64>, %weights: tensor<?x?xf32>)
    -> tensor<3x4xf32> {
  %flat = tensor.collapse_shape %weights [[0, 1]]
      : tensor<?x?xf32> into tensor<?xf32>
  %out = tensor.empty() : tensor<3x4xf32>
  %0 = emb.bag sum
      ins(%table, %indices, %offsets
          : tensor<?x4xf32>, tensor<?xi64>, tensor<3xi64>)
      weights(%flat : tensor<?xf32>)
      outs(%out : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Results are buffers of their own: not an argument, not one buffer twice.
// CHECK-LABEL: func.func @returns_argument(
// CHECK-SAME: %[[ARG:.*]]: memref<?x4xf32, strided<[?, 1], offset: ?>>) -> memref<?x4xf32>
// CHECK: %[[COPY:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x4xf32>
// CHECK: memref.copy %[[ARG]], %[[COPY]]
// CHECK: return %[[COPY]]
func.func @returns_argument(%table: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %table : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @returns_twice(
// CHECK: %[[OUT:.*]] = memref.alloc()
// CHECK: emb.lookup {{.*}} outs(%[[OUT]]
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK: memref.copy %[[OUT]], %[[COPY]]
// CHECK: return %[[OUT]], %[[COPY]]
func.func @returns_twice(%table: tensor<?x4xf32>, %indices: tensor<8xi64>)
    -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %out = tensor.empty() : tensor<8x4xf32>
  %0 = emb.lookup ins(%table, %indices : tensor<?x4xf32>, tensor<8xi64>)
      outs(%out : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0, %0 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @calls(
// CHECK: call @returns_argument(%{{.*}}) : ({{.*}}) -> memref<?x4xf32>
func.func @calls(%table: tensor<?x4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = call @returns_argument(%table) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = tensor.extract %0[%c0, %c0] : tensor<?x4xf32>
  return %1 : f32
}
