// RUN: ember-opt %s --dlc-split | FileCheck %s
// RUN: ember-opt %s --dlc-split --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// CHECK-LABEL: module @host attributes {dlc.sites = [#dlc.site<kind = index_out_of_range, function = "helper", argument = "indices", location = #{{.*}}>]}
// CHECK-DAG: func.func private @gather_access(!llvm.ptr, memref<?x100xf32, strided<[?, 1], offset: ?>>, memref<?xi32>, memref<?x100xf32>, memref<?x100xf32>, index, i32)
// CHECK-DAG: func.func private @gather_execute(!llvm.ptr
// CHECK: func.func @host(%[[CTX:.*]]: !llvm.ptr, %{{.*}}: memref<?x100xf32, strided<[?, 1], offset: ?>> {ember.name = "table"}
// CHECK-SAME: attributes {llvm.emit_c_interface}
// CHECK: call @gather_access(%[[CTX]],
// CHECK-NEXT: call @gather_execute(%[[CTX]],
// CHECK-NEXT: call @ember_au_wait(%[[CTX]]) : (!llvm.ptr) -> ()
// CHECK: call @helper(%[[CTX]],
// CHECK: func.func private @helper(%{{.*}}: !llvm.ptr, %{{.*}}: index)
// CHECK: dlc.fault index_out_of_range argument "indices" {{.*}} site 0

// CHECK-LABEL: module @access
// CHECK: func.func private @ember_au_begin(!llvm.ptr, i32)
// CHECK: func.func @gather_access(%[[CTX:.*]]: !llvm.ptr, %[[TABLE:.*]]: memref<{{.*}}> {ember.name = "table"}, %[[IDX:[^:]*]]
// CHECK-SAME: dlc.sites = [
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: call @ember_au_begin(%[[CTX]], %[[C0]])
// Constants and scalar arguments come first: 0 is %c0, 1 is %n, 2 is %pad.
// CHECK: call @ember_au_const(%[[CTX]], %[[C0]], %{{.*}})
// CHECK: %[[C1:.*]] = arith.constant 1 : i32
// CHECK: call @ember_au_const(%[[CTX]], %[[C1]], %{{.*}})
// CHECK: call @ember_au_const(%[[CTX]], %[[C2:.*]], %{{.*}})
// The counter is 3; a loop that sends tokens names the token queue.
// CHECK: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: call @ember_au_loop(%[[CTX]], %[[C3]], %[[C0]], %[[C1]], %{{.*}}, %[[C2]])
// CHECK: call @ember_au_mem(%[[CTX]], %[[C4:.*]], %{{.*}}, %[[C4]], %[[C0]], %[[C1]], %[[C1]])
// CHECK-NEXT: call @ember_au_dim(%[[CTX]], %[[C3]], %{{.*}}, %{{.*}})
// CHECK: %[[NE:.*]] = arith.constant 17 : i32
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: call @ember_au_alu(%[[CTX]], %[[C5:.*]], %[[NE]], %[[C32]], %[[C4]], %[[C2]], %{{.*}})
// CHECK: call @ember_au_alu
// The filter sends the token.
// CHECK: call @ember_au_if(%[[CTX]], %[[C5]], %[[C2]], %{{.*}})
// CHECK: %[[C100:.*]] = arith.constant 100 : i32
// CHECK: %[[C112:.*]] = arith.constant 112 : i32
// CHECK: call @ember_au_mem(%[[CTX]], %[[ROW:.*]], %{{.*}}, %[[C4]], %[[C1]], %[[C100]], %[[C112]])
// CHECK: call @ember_au_dim
// CHECK: call @ember_au_dim
// CHECK: %[[C448:.*]] = arith.constant 448 : i32
// CHECK: call @ember_au_push(%[[CTX]], %[[C0]], %[[ROW]], %[[C448]])
// A store has a number too.
// CHECK: call @ember_au_store(%[[CTX]], %[[C8:.*]], %[[ROW]], %{{.*}}, %[[C4]], %[[C100]])
// CHECK-NEXT: call @ember_au_dim(%[[CTX]], %[[C3]], %{{.*}}, %{{.*}})
// CHECK-NEXT: call @ember_au_dim(%[[CTX]], %[[C0]], %{{.*}}, %{{.*}})
// CHECK: call @ember_au_end
// CHECK: call @ember_au_end
// CHECK: call @ember_au_start(%[[CTX]])

// CHECK-LABEL: module @execute
// CHECK: func.func @gather_execute(%{{.*}}: !llvm.ptr
// CHECK-SAME: dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>
// CHECK: dlc.until @elems
// CHECK: dlc.take

// A site tells where in the source its operation comes from.
// LOC-DAG: #[[LOC:.*]] = loc("model.py":7:3)
// LOC-DAG: #dlc.site<kind = index_out_of_range, function = "host", argument = "table", location = #[[LOC]]>

dlc.kernel @gather(%table: memref<?x100xf32, strided<[?, 1], offset: ?>> {ember.name = "table"},
                   %idx: memref<?xi32> {ember.name = "indices"},
                   %out: memref<?x100xf32>, %rows: memref<?x100xf32>, %n: index, %pad: i32)
    queues <data = 16384, scalar = 2048, token = 2048> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  dlc.access {
    dlc.loop @elems %p = %c0 to %n step %c1 until {
      %i = dlc.mem %idx[%p] : memref<?xi32> -> i32
      %keep = arith.cmpi ne, %i, %pad : i32
      %row = arith.index_cast %i : i32 to index
      dlc.if %keep filter {
        %r = dlc.mem %table[%row, %c0] valid 100 : memref<?x100xf32, strided<[?, 1], offset: ?>> -> !slc.chunk<112xf32> loc("model.py":7:3)
        dlc.push data, %r : !slc.chunk<112xf32>
        dlc.store %r, %rows[%p, %c0] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
      }
    }
  }
  dlc.execute {
    dlc.until @elems {
      dlc.take(%r : memref<112xf32, #slc.queue> from data) {
        %x = memref.load %r[%c0] : memref<112xf32, #slc.queue>
        memref.store %x, %out[%c0, %c0] : memref<?x100xf32>
      }
    }
  }
}

func.func @host(%table: memref<?x100xf32, strided<[?, 1], offset: ?>> {ember.name = "table"},
                %idx: memref<?xi32>, %out: memref<?x100xf32>, %rows: memref<?x100xf32>, %n: index, %pad: i32) {
  dlc.launch @gather(%table, %idx, %out, %rows, %n, %pad) : memref<?x100xf32, strided<[?, 1], offset: ?>>, memref<?xi32>, memref<?x100xf32>, memref<?x100xf32>, index, i32
  func.call @helper(%n) : (index) -> ()
  return
}

func.func private @helper(%n: index) {
  dlc.fault index_out_of_range argument "indices" (%n, %n, %n) : index, index, index
  return
}
