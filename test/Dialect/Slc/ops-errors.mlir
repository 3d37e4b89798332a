// RUN: ember-opt %s --split-input-file --verify-diagnostics

// A value the core computes cannot become an address.
slc.kernel @execute_index(%t: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{the value is computed here}}
  %k = slc.callback -> (index) {
    %two = arith.addi %n, %n : index
    slc.yield %two : index
  }
  // expected-error@+1 {{depends on a value the core computes}}
  %x = slc.mem_stream %t[%k : index] : memref<?xf32> -> !slc.stream<f32>
  slc.return
}

// -----

// The access unit would read before or after the core writes.
slc.kernel @two_roles(%t: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{reads a buffer that a callback of the kernel writes}}
  %x = slc.mem_stream %t[%c0 : index] : memref<?xf32> -> !slc.stream<f32>
  slc.callback(%v = %x : f32) {
    // expected-note@+1 {{it is written here}}
    memref.store %v, %t[%c0] : memref<?xf32>
  }
  slc.return
}

// -----

slc.kernel @core_code_outside(%n: index) {
  // expected-error@+1 {{is code of the core: it belongs in a slc.callback}}
  %m = arith.addi %n, %n : index
  slc.return
}

// -----

slc.kernel @captured_stream(%t: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  slc.for @l %i = %c0 : index to %c4 : index step %c1 {
    // expected-note@+1 {{the callback is here}}
    slc.callback {
      // expected-error@+1 {{uses a value of the access side}}
      %x = builtin.unrealized_conversion_cast %i : !slc.stream<index> to index
    }
  }
  slc.return
}

// -----

slc.kernel @stream_inside(%t: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  slc.callback {
    // expected-error@+1 {{expects parent op to be one of}}
    %x = slc.mem_stream %t[%c0 : index] : memref<?xf32> -> !slc.stream<f32>
  }
  slc.return
}

// -----

slc.kernel @escaping_chunk(%t: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 64 : memref<?x64xf32> -> !slc.chunk<64xf32>
  // expected-error@+1 {{which is gone when the callback ends}}
  %m = slc.callback(%c = %r : memref<64xf32, #slc.queue>) -> (memref<64xf32, #slc.queue>) {
    slc.yield %c : memref<64xf32, #slc.queue>
  }
  slc.return
}

// -----

slc.kernel @chunk_queue(%t: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 64 : memref<?x64xf32> -> !slc.chunk<64xf32>
  // expected-error@+1 {{takes a chunk through the scalar queue}}
  slc.callback(%c = %r : memref<64xf32, #slc.queue>) queues [scalar] {
  }
  slc.return
}

// -----

slc.kernel @chunk_length(%t: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{reads 64 elements into a chunk of 16}}
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 64 : memref<?x64xf32> -> !slc.chunk<16xf32>
  slc.return
}

// -----

slc.kernel @strided_vector(%t: memref<?x64xf32, strided<[1, 64]>>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{needs stride 1}}
  %r = slc.mem_stream %t[%c0 : index, %c0 : index] : memref<?x64xf32, strided<[1, 64]>> -> !slc.stream<vector<16xf32>>
  slc.return
}

// -----

slc.kernel @valid_of_scalar(%t: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{counts valid lanes of a scalar stream}}
  %r = slc.mem_stream %t[%c0 : index] valid 4 : memref<?xf32> -> !slc.stream<f32>
  slc.return
}

// -----

slc.kernel @alu_types(%i: i64, %j: i32) {
  // expected-error@+1 {{add cannot give 'i64' from ('i64', 'i32')}}
  %r = slc.alu_stream add %i, %j : (i64, i32) -> !slc.stream<i64>
  slc.return
}

// -----

slc.kernel @same_label(%t: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note@+1 {{the other loop}}
  slc.for @l %i = %c0 : index to %n : index step %c1 {
  }
  // expected-error@+1 {{has the label @l of another loop}}
  slc.for @l %i = %c0 : index to %n : index step %c1 {
  }
  slc.return
}

// -----

slc.kernel @step(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{needs a step above 0, not 0}}
  slc.for @l %i = %c0 : index to %n : index step %c0 {
  }
  slc.return
}

// -----

slc.kernel @countedStep(%n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %end = slc.mem_stream %x[%n : index] : memref<?xindex> -> !slc.stream<index>
  // expected-error@+1 {{is counted between bounds that the core does not know, so it needs a step of 1}}
  slc.for @l %i = %c0 : index to %end step %c2 counted {
  }
  slc.return
}

// -----

slc.kernel @needs_else(%t: memref<?xi1>, %n: i64) {
  %c0 = arith.constant 0 : index
  %k = slc.mem_stream %t[%c0 : index] : memref<?xi1> -> !slc.stream<i1>
  // expected-error@+1 {{needs an else region}}
  %r = slc.if %k -> (i64) {
    slc.yield %n : i64
  }
  slc.return
}

// -----

func.func @no_kernel() {
  // expected-error@+1 {{which is no kernel}}
  slc.launch @missing()
  return
}

// -----

// expected-note@+1 {{the kernel is here}}
slc.kernel @takes_index(%n: index) {
  slc.return
}
func.func @wrong_types(%n: i64) {
  // expected-error@+1 {{to a kernel that takes ('index')}}
  slc.launch @takes_index(%n) : i64
  return
}

// -----

// expected-error@+1 {{a chunk has one dimension}}
func.func private @chunk(!slc.chunk<2x3xf32>)

// -----

// expected-error@+1 {{a stream carries integers, index or floats}}
func.func private @stream(!slc.stream<memref<f32>>)

// -----

// The access unit's reads run ahead of its writes.
slc.kernel @streamed_and_stored(%t: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{it is read here}}
  %x = slc.mem_stream %t[%c0 : index] : memref<?xf32> -> !slc.stream<f32>
  // expected-error@+1 {{writes a buffer that the kernel streams; reads run ahead of writes}}
  slc.store_stream %x, %t[%n : index] : !slc.stream<f32>, memref<?xf32>
  slc.return
}

// -----

slc.kernel @written_and_stored(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{writes a buffer that a callback of the kernel writes; the access unit runs ahead}}
  slc.store_stream %x, %out[%c0 : index] : f32, memref<?xf32>
  slc.callback {
    // expected-note@+1 {{it is written here}}
    memref.store %x, %out[%c0] : memref<?xf32>
  }
  slc.return
}

// -----

slc.kernel @read_and_stored(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  slc.callback {
    // expected-note@+1 {{it is read here}}
    %y = memref.load %out[%c0] : memref<?xf32>
  }
  // expected-error@+1 {{writes a buffer that a callback of the kernel reads; the access unit runs ahead}}
  slc.store_stream %x, %out[%c0 : index] : f32, memref<?xf32>
  slc.return
}

// -----

slc.kernel @stored_from_the_core(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{the value is computed here}}
  %y = slc.callback -> (f32) {
    %s = arith.addf %x, %x : f32
    slc.yield %s : f32
  }
  // expected-error@+1 {{depends on a value the core computes}}
  slc.store_stream %y, %out[%c0 : index] : f32, memref<?xf32>
  slc.return
}

// -----

slc.kernel @stored_type(%t: memref<?xf32>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %x = slc.mem_stream %t[%c0 : index] : memref<?xf32> -> !slc.stream<f32>
  // expected-error@+1 {{stores 'f32' to a memref of 'f64'}}
  slc.store_stream %x, %out[%c0 : index] : !slc.stream<f32>, memref<?xf64>
  slc.return
}

// -----

slc.kernel @stored_length(%t: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %r = slc.buffer_stream %t[%c0 : index] length 3 : memref<?xf32> -> !slc.chunk<4xf32>
  // expected-error@+1 {{stores 5 elements of a value of 4}}
  slc.store_stream %r, %out[%c0 : index] length 5 : !slc.chunk<4xf32>, memref<?xf32>
  slc.return
}

// -----

slc.kernel @stored_stride(%out: memref<8xf32, strided<[2]>>, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{touches several elements, so the last dimension of 'memref<8xf32, strided<[2]>>' needs stride 1}}
  slc.store_stream %x, %out[%c0 : index] length 2 : f32, memref<8xf32, strided<[2]>>
  slc.return
}

// -----

slc.kernel @stored_rank(%out: memref<8xf32>, %x: f32) {
  // expected-error@+1 {{has 0 indices for a memref of rank 1}}
  slc.store_stream %x, %out[] : f32, memref<8xf32>
  slc.return
}
