// RUN: ember-opt %s | ember-opt | FileCheck %s

// CHECK: #dlc.target<machine = "dae-hbm2", vector_bits = 512, access_unit = true
module attributes {dlc.target = #dlc.target<machine = "dae-hbm2",
    vector_bits = 512, access_unit = true, lanes = 8, layers = 4,
    storage_bytes = 2048, data_queue_bytes = 16384, scalar_queue_bytes = 2048,
    token_queue_bytes = 2048, sibling_loops = true, predicate = true,
    store = true, bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
    cpu = "x86-64-v4", features = "-prefer-256-bit">} {
  // CHECK-LABEL: @report
  func.func @report(%position: index, %value: i64, %limit: index) {
    // CHECK: dlc.fault index_out_of_range argument "indices" (%{{.*}}, %{{.*}}, %{{.*}}) : index, i64, index
    dlc.fault index_out_of_range argument "indices" (%position, %value, %limit) : index, i64, index
    // CHECK: dlc.fault offset_decreasing argument "offsets" (%{{.*}}) site 3 : index, i64, i64
    dlc.fault offset_decreasing argument "offsets" (%position, %value, %value) site 3 : index, i64, i64
    return
  }
}
