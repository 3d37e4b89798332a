// nn.EmbeddingBag(mode="sum") as torch-mlir lowers it: each bag looks at every
// index, and a select leaves out those of other bags.
func.func @bags(%table: memref<?x16xf32>, %indices: memref<?xi64>, %offsets: memref<?xi64>) -> memref<?x16xf32> {
  %c16 = arith.constant 16 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.000000e+00 : f32
  %c1_i64 = arith.constant 1 : i64
  %bags = memref.dim %offsets, %c0 : memref<?xi64>
  %out = memref.alloc(%bags) {alignment = 64 : i64} : memref<?x16xf32>
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %d = %c0 to %c16 step %c1 {
      memref.store %zero, %out[%b, %d] : memref<?x16xf32>
    }
  }
  %n = memref.dim %indices, %c0 : memref<?xi64>
  scf.for %b = %c0 to %bags step %c1 {
    scf.for %p = %c0 to %n step %c1 {
      scf.for %d = %c0 to %c16 step %c1 {
        %index = memref.load %indices[%p] : memref<?xi64>
        %first = memref.load %offsets[%b] : memref<?xi64>
        %sum = memref.load %out[%b, %d] : memref<?x16xf32>
        %b_i64 = arith.index_cast %b : index to i64
        %next_i64 = arith.addi %b_i64, %c1_i64 : i64
        %next = arith.index_cast %next_i64 : i64 to index
        %bags_i64 = arith.index_cast %bags : index to i64
        %is_last = arith.cmpi eq, %bags_i64, %next_i64 : i64
        %next_bag = arith.select %is_last, %c0, %next : index
        %next_first = memref.load %offsets[%next_bag] : memref<?xi64>
        %n_i64 = arith.index_cast %n : index to i64
        %end = arith.select %is_last, %n_i64, %next_first : i64
        %p_i64 = arith.index_cast %p : index to i64
        %after = arith.cmpi sle, %first, %p_i64 : i64
        %before = arith.cmpi slt, %p_i64, %end : i64
        %inside = arith.andi %after, %before : i1
        %row = arith.index_cast %index : i64 to index
        %x = memref.load %table[%row, %d] : memref<?x16xf32>
        %added = arith.addf %x, %sum : f32
        %new = arith.select %inside, %added, %sum : f32
        memref.store %new, %out[%b, %d] : memref<?x16xf32>
      }
    }
  }
  return %out : memref<?x16xf32>
}
