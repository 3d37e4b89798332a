// RUN: ember-opt %s --convert-scf-to-slc --split-input-file --verify-diagnostics | FileCheck %s

// Sum bag: offsets, indices and rows are streamed; out, which the nest writes,
// stays with the core. The counter of bags is sent once a bag.

// CHECK-LABEL: func.func @bag
// CHECK-NOT: scf.for
// CHECK: slc.launch @bag_kernel(
// CHECK: slc.kernel @bag_kernel(%[[BAGS:.*]]: index, %[[OUT:.*]]: memref<?x64xf32> {ember.name = "result"}, %[[OFF:.*]]: memref<?xi64> {ember.name = "offsets"}, %[[IDX:.*]]: memref<?xi64> {ember.name = "indices"}, %[[TABLE:.*]]: memref<?x64xf32> {ember.name = "table"})
// CHECK: slc.for @l0 %[[B:.*]] = %{{.*}} : index to %[[BAGS]] : index step %{{.*}} parallel {
// CHECK-DAG: %[[LO:.*]] = slc.mem_stream %[[OFF]][%[[B]]]
// CHECK-DAG: %[[BEGIN:.*]] = slc.alu_stream index_cast %[[LO]]
// CHECK-DAG: %[[B1:.*]] = slc.alu_stream add %[[B]], %{{.*}}
// CHECK-DAG: %[[HI:.*]] = slc.mem_stream %[[OFF]][%[[B1]]]
// CHECK-DAG: %[[END:.*]] = slc.alu_stream index_cast %[[HI]]
// CHECK: %[[BV:.*]] = slc.callback(%[[V:.*]] = %[[B]] : index) -> (index) {
// CHECK: slc.callback {
// CHECK-NEXT: scf.for %[[D:.*]] =
// CHECK-NEXT: memref.store %{{.*}}, %[[OUT]][%[[BV]], %[[D]]]
// CHECK: slc.for @l1 %[[P:.*]] = %[[BEGIN]] to %[[END]] step
// CHECK-NEXT: %[[I:.*]] = slc.mem_stream %[[IDX]][%[[P]]]
// CHECK-NEXT: %[[ROW:.*]] = slc.alu_stream index_cast %[[I]]
// CHECK-NEXT: slc.for @l2 %[[D:.*]] = %{{.*}} : index to %{{.*}} : index step
// CHECK-NEXT: %[[R:.*]] = slc.mem_stream %[[TABLE]][%[[ROW]], %[[D]]]
// CHECK-NEXT: slc.callback(%[[DV:.*]] = %[[D]] : index, %[[RV:.*]] = %[[R]] : f32) {
// CHECK-NEXT: %[[A:.*]] = memref.load %[[OUT]][%[[BV]], %[[DV]]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[RV]]
// CHECK-NEXT: memref.store %[[S]], %[[OUT]][%[[BV]], %[[DV]]]
func.func @bag(%table: memref<?x64xf32> {ember.name = "table"},
               %indices: memref<?xi64> {ember.name = "indices"},
               %offsets: memref<?xi64> {ember.name = "offsets"})
    -> (memref<?x64xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %offsets, %c0 : memref<?xi64>
  %bags = arith.subi %n, %c1 : index
  %out = memref.alloc(%bags) : memref<?x64xf32>
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %d = %c0 to %c64 step %c1 {
      memref.store %zero, %out[%b, %d] : memref<?x64xf32>
    }
    %lo = memref.load %offsets[%b] : memref<?xi64>
    %b1 = arith.addi %b, %c1 : index
    %hi = memref.load %offsets[%b1] : memref<?xi64>
    %begin = arith.index_cast %lo : i64 to index
    %end = arith.index_cast %hi : i64 to index
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p] : memref<?xi64>
      %row = arith.index_cast %i : i64 to index
      scf.for %d = %c0 to %c64 step %c1 {
        %r = memref.load %table[%row, %d] : memref<?x64xf32>
        %a = memref.load %out[%b, %d] : memref<?x64xf32>
        %s = arith.addf %a, %r : f32
        memref.store %s, %out[%b, %d] : memref<?x64xf32>
      }
    }
  } {ember.kernel = "bag", ember.parallel}
  return %out : memref<?x64xf32>
}
