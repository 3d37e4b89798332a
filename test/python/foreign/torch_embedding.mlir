// nn.Embedding as torch-mlir lowers it: the row number is read and checked
// again for each element.
func.func @embedding(%table: memref<?x16xf32>, %indices: memref<?x5xi64>) -> memref<?x5x16xf32> {
  %c16 = arith.constant 16 : index
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %n = memref.dim %indices, %c0 : memref<?x5xi64>
  %out = memref.alloc(%n) {alignment = 64 : i64} : memref<?x5x16xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c5 step %c1 {
      scf.for %d = %c0 to %c16 step %c1 {
        %index = memref.load %indices[%i, %j] : memref<?x5xi64>
        %row = arith.index_cast %index : i64 to index
        %rows = memref.dim %table, %c0 : memref<?x16xf32>
        %below = arith.cmpi slt, %row, %rows : index
        cf.assert %below, "index must be smaller than dim size"
        %above = arith.cmpi sge, %index, %c0_i64 : i64
        cf.assert %above, "index must be larger or equal to 0"
        %x = memref.load %table[%row, %d] : memref<?x16xf32>
        memref.store %x, %out[%i, %j, %d] : memref<?x5x16xf32>
      }
    }
  }
  return %out : memref<?x5x16xf32>
}
