// RUN: ember-opt %s --split-input-file --verify-diagnostics
func.func private @part(index)

func.func @many() {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expects an integer from 1 to 64 as 'dlc.cores'}}
  func.call @part(%c0) {dlc.cores = 65 : i64} : (index) -> ()
  return
}

// -----

func.func private @part(index) -> index

func.func @results() {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot happen on several cores: 'dlc.cores' is for calls without results}}
  %x = func.call @part(%c0) {dlc.cores = 2 : i64} : (index) -> index
  return
}

// -----

// expected-error @below {{expects a string as 'dlc.user'}}
func.func private @part(index) attributes {dlc.user = 3}

// -----

// expected-error @below {{cores must be from 1 to 64, but is 0}}
module attributes {dlc.target = #dlc.target<machine = "none", cores = 0,
    vector_bits = 512, access_unit = false, lanes = 8, layers = 4,
    storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true,
    store = true, bounds_fault = true, triple = "", cpu = "", features = "">} {
}
