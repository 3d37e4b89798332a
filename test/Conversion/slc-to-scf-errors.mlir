// RUN: ember-opt %s --convert-slc-to-scf --split-input-file --verify-diagnostics

func.func @chunk_use(%t: memref<?x64xf32>, %out: memref<64xf32>) {
  slc.launch @kernel(%t, %out) : memref<?x64xf32>, memref<64xf32>
  return
}
slc.kernel @kernel(%t: memref<?x64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 64 : memref<?x64xf32> -> !slc.chunk<64xf32>
  slc.callback(%c = %r : memref<64xf32, #slc.queue>) {
    // expected-error@+1 {{cannot read a chunk in place with this operation}}
    memref.copy %c, %out : memref<64xf32, #slc.queue> to memref<64xf32>
  }
  slc.return
}

// -----

func.func @buffer_choice(%k: memref<i1>, %a: memref<4xf32>) {
  slc.launch @kernel(%k, %a) : memref<i1>, memref<4xf32>
  return
}
slc.kernel @kernel(%k: memref<i1>, %a: memref<4xf32>) {
  %c = slc.mem_stream %k[] : memref<i1> -> !slc.stream<i1>
  // expected-error@+1 {{there is no value of type 'memref<4xf32>' to go on with after bad data}}
  %r = slc.if %c -> (memref<4xf32>) {
    slc.yield %a : memref<4xf32>
  } else {
    slc.yield %a : memref<4xf32>
  }
  slc.return
}
