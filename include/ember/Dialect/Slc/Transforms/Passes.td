//===- Passes.td - Passes on the slc dialect ---------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SlcFormChunks : Pass<"slc-form-chunks", "::ember::slc::KernelOp"> {
  let summary = "Send rows whole instead of element by element";
  let description = [{
    An innermost loop of constant length that streams contiguous elements
    becomes one chunk for each stream, padded to whole vectors, and a callback
    that loops over them. Rows longer than a callback may take (half the data
    queue less a line), or of which the access unit cannot store one element of
    each stream, are cut into pieces. Neighbouring callbacks are then joined, and a row that
    several of them take is sent once.

    ```mlir file=rows.mlir
    slc.kernel @sum(%rows: memref<?xindex>, %table: memref<?x100xf32>,
                    %sum: memref<100xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c100 = arith.constant 100 : index
      slc.for @rows %p = %c0 : index to %n : index step %c1 {
        %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
        slc.for @columns %d = %c0 : index to %c100 : index step %c1 {
          %x = slc.mem_stream %table[%i, %d] : memref<?x100xf32> -> !slc.stream<f32>
          slc.callback(%xv = %x : f32, %dv = %d : index) {
            %a = memref.load %sum[%dv] : memref<100xf32>
            %b = arith.addf %a, %xv : f32
            memref.store %b, %sum[%dv] : memref<100xf32>
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt rows.mlir --slc-form-chunks | sed -n '/slc.for/,/^    }/p'
        slc.for @rows %rows = %c0 : index to %arg3 : index step %c1 {
          %0 = slc.mem_stream %arg0[%rows] : memref<?xindex> -> !slc.stream<index>
          %1 = slc.buffer_stream %arg1[%0, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
          slc.callback(%row = %1 : memref<112xf32, #slc.queue>) {
            scf.for %arg4 = %c0 to %c100 step %c1 {
              %2 = memref.load %row[%arg4] : memref<112xf32, #slc.queue>
              %3 = memref.load %arg2[%arg4] : memref<100xf32>
              %4 = arith.addf %3, %2 : f32
              memref.store %4, %arg2[%arg4] : memref<100xf32>
            }
          }
        }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
}

def SlcStreamCopies : Pass<"slc-stream-copies", "::ember::slc::KernelOp"> {
  let summary = "Let the access unit write what the core would only copy";
  let description = [{
    Stores of callbacks whose value and place the access unit has at hand (a
    stream, a row, a constant) become store streams, if all accesses of the
    buffer are such stores and the target's access unit can store. To be run when
    rows are chunks and before callbacks are vectorised.

    ```mlir file=copies.mlir
    slc.kernel @lookup(%rows: memref<?xindex>, %table: memref<?x100xf32>,
                       %out: memref<?x100xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c100 = arith.constant 100 : index
      slc.for @rows %p = %c0 : index to %n : index step %c1 {
        %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
        %r = slc.buffer_stream %table[%i, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
        slc.callback(%row = %r : memref<112xf32, #slc.queue>, %at = %p : index) {
          scf.for %d = %c0 to %c100 step %c1 {
            %x = memref.load %row[%d] : memref<112xf32, #slc.queue>
            memref.store %x, %out[%at, %d] : memref<?x100xf32>
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt copies.mlir --ember-attach-target --slc-stream-copies | sed -n '/slc.for/,/^    }/p'
        slc.for @rows %rows = %c0 : index to %arg3 : index step %c1 {
          %0 = slc.mem_stream %arg0[%rows] : memref<?xindex> -> !slc.stream<index>
          %1 = slc.buffer_stream %arg1[%0, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
          slc.store_stream %1, %arg2[%rows, %c0 : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
        }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SlcVectorize : Pass<"slc-vectorize", "::ember::slc::KernelOp"> {
  let summary = "Stream and compute machine vectors";
  let description = [{
    Innermost loops of constant length, of the access side and in callbacks,
    whose iterations are independent and elementwise, advance by one vector of
    the target. What is left over is done once, under a constant mask. A loop
    that does not qualify stays scalar.

    A value carried through a loop may be a reduction (a sum, product, minimum,
    maximum, or a bitwise one). Each lane then reduces the iterations it runs, in
    their order; lanes beyond the last iteration take the neutral element. Of the
    vector that is left the upper half is combined with the lower one until one
    element is left, and the value the loop started from with that. The order
    depends on the length of the loop and the number of lanes only, so results
    are the same from run to run.

    ```mlir file=scalars.mlir
    slc.kernel @sum(%rows: memref<?xindex>, %table: memref<?x64xf32>,
                    %sum: memref<64xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      slc.for @rows %p = %c0 : index to %n : index step %c1 {
        %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
        slc.for @columns %d = %c0 : index to %c64 : index step %c1 {
          %x = slc.mem_stream %table[%i, %d] : memref<?x64xf32> -> !slc.stream<f32>
          slc.callback(%xv = %x : f32, %dv = %d : index) {
            %a = memref.load %sum[%dv] : memref<64xf32>
            %b = arith.addf %a, %xv : f32
            memref.store %b, %sum[%dv] : memref<64xf32>
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt scalars.mlir --slc-vectorize | sed -n '/slc.for/,/^    }/p'
        slc.for @rows %rows = %c0 : index to %arg3 : index step %c1 {
          %0 = slc.mem_stream %arg0[%rows] : memref<?xindex> -> !slc.stream<index>
          slc.for @columns %columns = %c0 : index to %c64 : index step %c16 {
            %1 = slc.mem_stream %arg1[%0, %columns] : memref<?x64xf32> -> !slc.stream<vector<16xf32>>
            slc.callback(%v = %1 : vector<16xf32>, %v_0 = %columns : index) {
              %2 = vector.load %arg2[%v_0] : memref<64xf32>, vector<16xf32>
              %3 = arith.addf %2, %v : vector<16xf32>
              vector.store %3, %arg2[%v_0] : memref<64xf32>, vector<16xf32>
            }
          }
        }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SlcPromoteLocals : Pass<"slc-promote-locals", "::ember::slc::KernelOp"> {
  let summary = "Keep accumulators in registers";
  let description = [{
    Unrolls the loops of callbacks that go over places of a buffer, and lets the
    loops of the access side carry, as iter_args, the places that stay the same
    in all iterations, as many as the target has vector registers for. Then hands
    on within a block what one callback stores and another loads, erases stores
    that are overwritten, and locals that nobody reads.

    ```mlir file=sum.mlir
    slc.kernel @sum(%x: memref<?xf32>, %ends: memref<?xindex>, %out: memref<?xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      slc.for @bags %b = %c0 : index to %n : index step %c1 {
        %end = slc.mem_stream %ends[%b] : memref<?xindex> -> !slc.stream<index>
        %bag = slc.callback(%at = %b : index) -> (index) {
          memref.store %zero, %out[%at] : memref<?xf32>
          slc.yield %at : index
        }
        slc.for @elems %p = %c0 : index to %end step %c1 {
          %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
          slc.callback(%e = %v : f32) {
            %a = memref.load %out[%bag] : memref<?xf32>
            %s = arith.addf %a, %e : f32
            memref.store %s, %out[%bag] : memref<?xf32>
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt sum.mlir --slc-promote-locals | sed -n '/slc.callback/,$p'
          %1 = slc.callback(%v = %bags : index) -> (index) {
            slc.yield %v : index
          }
          %2 = slc.for @elems %elems = %c0 : index to %0 step %c1 iter_args(%arg4 = %cst) -> (f32) {
            %3 = slc.mem_stream %arg0[%elems] : memref<?xf32> -> !slc.stream<f32>
            %4 = slc.callback(%v = %3 : f32) -> (f32) {
              %5 = arith.addf %arg4, %v : f32
              slc.yield %5 : f32
            }
            slc.yield %4 : f32
          }
          slc.callback {
            memref.store %2, %arg2[%1] : memref<?xf32>
          }
        }
        slc.return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"];
}

def SlcCountLoops : Pass<"slc-count-loops", "::ember::slc::KernelOp"> {
  let summary = "Tell the core trip counts instead of iterations";
  let description = [{
    Marks loops as `counted`: the core takes one count for the loop, or none if
    it knows the bounds, where it took a token for each iteration. Loops of
    which iterations may be left out, and loops of a step other than 1 between
    bounds that the core does not know, keep their tokens.

    ```mlir file=count.mlir
    slc.kernel @count(%x: memref<?xf32>, %ends: memref<?xindex>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      slc.for @bags %b = %c0 : index to %n : index step %c1 {
        %end = slc.mem_stream %ends[%b] : memref<?xindex> -> !slc.stream<index>
        slc.for @elems %p = %c0 : index to %end step %c1 {
          %v = slc.mem_stream %x[%p] : memref<?xf32> -> !slc.stream<f32>
          slc.callback(%e = %v : f32) {
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt count.mlir --slc-count-loops | grep slc.for
        slc.for @bags %bags = %c0 : index to %arg2 : index step %c1 {
          slc.for @elems %elems = %c0 : index to %0 step %c1 counted {
    ```
  }];
}

def SlcAlignQueues : Pass<"slc-align-queues", "::ember::slc::KernelOp"> {
  let summary = "Keep scalars out of the data queue";
  let description = [{
    Chooses the queue of each callback operand: vectors and chunks use the data
    queue, so that it holds whole vectors only. Counters of loops whose bounds
    the core knows, and affine functions of these, are not sent: the core
    computes them. Other scalars use the scalar queue.

    ```mlir file=weighted.mlir
    slc.kernel @weighted(%weights: memref<?xf32>, %rows: memref<?x64xf32>,
                         %out: memref<?x64xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      slc.for @rows %p = %c0 : index to %n : index step %c1 {
        %w = slc.mem_stream %weights[%p] : memref<?xf32> -> !slc.stream<f32>
        %r = slc.buffer_stream %rows[%p, %c0 : index] length 64
            : memref<?x64xf32> -> !slc.chunk<64xf32>
        slc.callback(%at = %p : index, %wv = %w : f32, %row = %r : memref<64xf32, #slc.queue>) {
          %ws = vector.broadcast %wv : f32 to vector<16xf32>
          scf.for %d = %c0 to %c64 step %c16 {
            %x = vector.load %row[%d] : memref<64xf32, #slc.queue>, vector<16xf32>
            %y = arith.mulf %ws, %x : vector<16xf32>
            vector.store %y, %out[%at, %d] : memref<?x64xf32>, vector<16xf32>
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt weighted.mlir --slc-align-queues | grep slc.callback
          slc.callback(%v = %rows : index, %v_0 = %0 : f32, %row = %1 : memref<64xf32, #slc.queue>) queues [core, scalar, data] {
    ```
  }];
}

def SlcSplitCores : Pass<"slc-split-cores", "::mlir::ModuleOp"> {
  let summary = "Share the outer loops of kernels among the machine's cores";
  let description = [{
    Of a kernel that is one loop marked `parallel`, with a step of 1, each core
    of the target runs a part of the iterations. A function `@KERNEL_core` finds
    the part of the core with a given number and launches the kernel on it; the
    call that takes the launch's place has the attribute `dlc.cores`: it happens
    on each core at once, with the core's number as the first argument, and ends
    when all have ended. If the inner loop runs between neighbouring elements of
    an array of offsets, the parts have about the same sum of iterations and
    lookups, else of iterations. Iterations write different places, so results
    do not depend on the number of cores; nor does the fault reported, the one
    of the least core. Other kernels run on one core, with a remark that says so.

    ```mlir file=cores.mlir
    module attributes {dlc.target = #dlc.target<machine = "four",
        cores = 4, vector_bits = 512, access_unit = true, lanes = 8, layers = 4,
        storage_bytes = 2048, data_queue_bytes = 16384,
        scalar_queue_bytes = 2048, token_queue_bytes = 2048,
        sibling_loops = true, predicate = true, store = true,
        bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
        cpu = "x86-64-v4", features = "">} {
      func.func @gather(%rows: memref<?xindex>, %table: memref<?xf32>, %out: memref<?xf32>, %n: index) {
        slc.launch @copy(%rows, %table, %out, %n) : memref<?xindex>, memref<?xf32>, memref<?xf32>, index
        return
      }
      slc.kernel @copy(%rows: memref<?xindex>, %table: memref<?xf32>, %out: memref<?xf32>, %n: index) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        slc.for @rows %p = %c0 : index to %n : index step %c1 parallel {
          %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
          %x = slc.mem_stream %table[%i] : memref<?xf32> -> !slc.stream<f32>
          slc.callback(%xv = %x : f32, %pv = %p : index) {
            memref.store %xv, %out[%pv] : memref<?xf32>
          }
        }
        slc.return
      }
    }
    ```

    ```console
    $ ember-opt cores.mlir --slc-split-cores | grep -E 'call|func|launch|slc.for'
      func.func @gather(%arg0: memref<?xindex>, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
        call @copy_core(%c0, %arg0, %arg1, %arg2, %arg3) {dlc.cores = 4 : i64} : (index, memref<?xindex>, memref<?xf32>, memref<?xf32>, index) -> ()
      func.func private @copy_core(%arg0: index, %arg1: memref<?xindex>, %arg2: memref<?xf32>, %arg3: memref<?xf32>, %arg4: index) attributes {dlc.user = "gather"} {
        slc.launch @copy(%arg1, %arg2, %arg3, %arg4, %7, %12) : memref<?xindex>, memref<?xf32>, memref<?xf32>, index, index, index
        slc.for @rows %rows = %arg4 : index to %arg5 : index step %c1 parallel {
          slc.callback(%v = %1 : f32, %v_0 = %rows : index) {
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
}

#endif // EMBER_DIALECT_SLC_TRANSFORMS_PASSES_TD
