// RUN: ember-opt %s --convert-slc-to-dlc --split-input-file --verify-diagnostics

// expected-error @below {{is compiled for no machine: run ember-attach-target first}}
slc.kernel @k(%n: index) {
  slc.return
}

// -----

module attributes {dlc.target = #dlc.target<machine = "plain", vector_bits = 512, access_unit = false,
    lanes = 0, layers = 0, storage_bytes = 0, data_queue_bytes = 0, scalar_queue_bytes = 0,
    token_queue_bytes = 0, sibling_loops = false, predicate = false, store = false, bounds_fault = false,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">} {
// expected-error @below {{the machine 'plain' has no access unit; use convert-slc-to-scf}}
slc.kernel @k(%n: index) {
  slc.return
}
}

// -----

module attributes {dlc.target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 512, scalar_queue_bytes = 64,
    token_queue_bytes = 64, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">} {
slc.kernel @core(%t: memref<?xindex>, %out: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for @l %i = %c0 : index to %n : index step %c1 {
    // expected-note @below {{on this}}
    %x = slc.mem_stream %t[%i] : memref<?xindex> -> !slc.stream<index>
    // expected-error @below {{wants an operand computed by the core, which depends on what only the access unit knows}}
    slc.callback(%v = %x : index) queues [core] {
      memref.store %v, %out[%v] : memref<?xindex>
    }
  }
  slc.return
}
}

// -----

module attributes {dlc.target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 512, scalar_queue_bytes = 64,
    token_queue_bytes = 64, sibling_loops = true, predicate = true, store = true, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">} {
slc.kernel @capacity(%t: memref<?x100xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %r = slc.buffer_stream %t[%c0 : index, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<100xf32>
  // expected-error @below {{takes 400 bytes from the data queue at once, which with its largest element needs 800 bytes, but the queue has 512}}
  slc.callback(%c = %r : memref<100xf32, #slc.queue>) {
    %x = memref.load %c[%c0] : memref<100xf32, #slc.queue>
    memref.store %x, %out[%c0] : memref<?xf32>
  }
  slc.return
}
}

// -----

module attributes {dlc.target = #dlc.target<machine = "test", vector_bits = 512, access_unit = true,
    lanes = 8, layers = 4, storage_bytes = 2048, data_queue_bytes = 512, scalar_queue_bytes = 64,
    token_queue_bytes = 64, sibling_loops = true, predicate = true, store = false, bounds_fault = true,
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">} {
slc.kernel @store(%out: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot be done by the access unit of 'test', which does not store}}
  slc.store_stream %x, %out[%c0 : index] : f32, memref<?xf32>
  slc.return
}
}
