// A CSR matrix times a dense one, as MLIR's sparsifier writes it:
//
//   mlir-opt --sparse-assembler --sparsification-and-bufferization
//     --sparse-storage-specifier-to-llvm --convert-linalg-to-loops
//     --canonicalize --cse
//
// of a linalg.generic on tensor<40x60xf32, #CSR>.

!specifier = !llvm.struct<(array<2 x i64>, array<3 x i64>)>

func.func @spmm(%positions: memref<?xi64>, %columns: memref<?xi64>, %values: memref<?xf32>,
                %dense: memref<60x32xf32>) -> memref<40x32xf32> {
  %c41_i64 = arith.constant 41 : i64
  %c60_i64 = arith.constant 60 : i64
  %c40_i64 = arith.constant 40 : i64
  %c40 = arith.constant 40 : index
  %0 = llvm.mlir.poison : !specifier
  %4 = llvm.insertvalue %c40_i64, %0[0, 0] : !specifier
  %5 = llvm.insertvalue %c60_i64, %4[0, 1] : !specifier
  %6 = llvm.insertvalue %c41_i64, %5[1, 0] : !specifier
  %7 = memref.load %positions[%c40] : memref<?xi64>
  %8 = llvm.insertvalue %7, %6[1, 1] : !specifier
  %9 = llvm.insertvalue %7, %8[1, 2] : !specifier
  %10 = call @_internal_spmm(%positions, %columns, %values, %9, %dense)
      : (memref<?xi64>, memref<?xi64>, memref<?xf32>, !specifier, memref<60x32xf32>) -> memref<40x32xf32>
  return %10 : memref<40x32xf32>
}

func.func private @_internal_spmm(%arg0: memref<?xi64>, %arg1: memref<?xi64>, %arg2: memref<?xf32>,
                                  %arg3: !specifier, %arg4: memref<60x32xf32>) -> memref<40x32xf32> {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %cst = arith.constant 0.000000e+00 : f32
  %alloc = memref.alloc() {alignment = 64 : i64} : memref<40x32xf32>
  scf.for %arg5 = %c0 to %c40 step %c1 {
    scf.for %arg6 = %c0 to %c32 step %c1 {
      memref.store %cst, %alloc[%arg5, %arg6] : memref<40x32xf32>
    }
  }
  %0 = llvm.extractvalue %arg3[1, 2] : !specifier
  %1 = arith.index_cast %0 : i64 to index
  %subview = memref.subview %arg2[0] [%1] [1] : memref<?xf32> to memref<?xf32>
  %2 = llvm.extractvalue %arg3[1, 0] : !specifier
  %3 = arith.index_cast %2 : i64 to index
  %subview_0 = memref.subview %arg0[0] [%3] [1] : memref<?xi64> to memref<?xi64>
  %4 = llvm.extractvalue %arg3[1, 1] : !specifier
  %5 = arith.index_cast %4 : i64 to index
  %subview_1 = memref.subview %arg1[0] [%5] [1] : memref<?xi64> to memref<?xi64>
  scf.for %arg5 = %c0 to %c40 step %c1 {
    %6 = memref.load %subview_0[%arg5] : memref<?xi64>
    %7 = arith.index_cast %6 : i64 to index
    %8 = arith.addi %arg5, %c1 : index
    %9 = memref.load %subview_0[%8] : memref<?xi64>
    %10 = arith.index_cast %9 : i64 to index
    scf.for %arg6 = %7 to %10 step %c1 {
      %11 = memref.load %subview_1[%arg6] : memref<?xi64>
      %12 = arith.index_cast %11 : i64 to index
      %13 = memref.load %subview[%arg6] : memref<?xf32>
      scf.for %arg7 = %c0 to %c32 step %c1 {
        %14 = memref.load %alloc[%arg5, %arg7] : memref<40x32xf32>
        %15 = memref.load %arg4[%12, %arg7] : memref<60x32xf32>
        %16 = arith.mulf %13, %15 : f32
        %17 = arith.addf %14, %16 : f32
        memref.store %17, %alloc[%arg5, %arg7] : memref<40x32xf32>
      } {"Emitted from" = "linalg.generic"}
    } {"Emitted from" = "linalg.generic"}
  } {"Emitted from" = "linalg.generic"}
  return %alloc : memref<40x32xf32>
}
