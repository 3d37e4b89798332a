//===- Passes.td - Conversions between Ember's dialects ----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_PASSES_TD
#define EMBER_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertEmbToSCF : Pass<"convert-emb-to-scf"> {
  let summary = "Lower emb operations on memrefs to loops";
  let description = [{
    Replaces each operation by its host part, which checks what the loops would
    not notice (sizes, padding, offsets), and by its scalar loop nest. The
    outermost `scf.for` of a nest carries `ember.kernel`, the name of the kernel
    it becomes, and `ember.parallel` if its iterations are independent. Bad data
    is reported by `dlc.fault`, and the nest then does not run; row indices are
    not checked, that is left to whatever reads the rows.

    The sizes of this lookup are known, so its host part has nothing to check:

    ```mlir file=gather.mlir
    func.func @gather(%table: memref<?x4xf32>, %rows: memref<8xi64>,
                      %out: memref<8x4xf32>) {
      emb.lookup ins(%table, %rows : memref<?x4xf32>, memref<8xi64>)
          outs(%out : memref<8x4xf32>)
      return
    }
    ```

    ```console
    $ ember-opt gather.mlir --convert-emb-to-scf --cse --canonicalize
    module {
      func.func @gather(%arg0: memref<?x4xf32>, %arg1: memref<8xi64>, %arg2: memref<8x4xf32>) {
        %c1 = arith.constant 1 : index
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        scf.for %arg3 = %c0 to %c8 step %c1 {
          %0 = memref.load %arg1[%arg3] : memref<8xi64>
          %1 = arith.index_cast %0 : i64 to index
          scf.for %arg4 = %c0 to %c4 step %c1 {
            %2 = memref.load %arg0[%1, %arg4] : memref<?x4xf32>
            memref.store %2, %arg2[%arg3, %arg4] : memref<8x4xf32>
          }
        } {ember.kernel = "lookup", ember.parallel}
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::ember::dlc::DlcDialect"];
}

def ConvertSCFToSLC : Pass<"convert-scf-to-slc", "::mlir::ModuleOp"> {
  let summary = "Decouple loop nests that look data up";
  let description = [{
    Outlines each outermost `scf.for` of a function that looks data up (a load, a
    loop bound or a condition depends on another load), or that is marked
    `ember.kernel`, into a `slc.kernel`, and launches it. What runs on the access
    side follows from use-def chains and from the role of each buffer, not from
    the shape of the nest: loads from buffers the nest only reads, at positions
    the access unit can compute. What does not change in a loop leaves it first,
    and an assertion that such a position is in range goes: the unit checks. A
    nest that cannot be decoupled stays; a buffer that may be the one written
    under another name is an error. Remarks of category `decouple` say of each
    nest why it stays, and of each load why it moves or stays.

    ```mlir file=loops.mlir
    func.func @sum(%table: memref<?x4xf32>, %rows: memref<?xindex>,
                   %sum: memref<4xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %p = %c0 to %n step %c1 {
        %i = memref.load %rows[%p] : memref<?xindex>
        scf.for %d = %c0 to %c4 step %c1 {
          %x = memref.load %table[%i, %d] : memref<?x4xf32>
          %a = memref.load %sum[%d] : memref<4xf32>
          %b = arith.addf %a, %x : f32
          memref.store %b, %sum[%d] : memref<4xf32>
        }
      }
      return
    }
    ```

    ```console
    $ ember-opt loops.mlir --convert-scf-to-slc
    module {
      func.func @sum(%arg0: memref<?x4xf32>, %arg1: memref<?xindex>, %arg2: memref<4xf32>, %arg3: index) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        slc.launch @sum_kernel(%arg3, %arg1, %arg0, %arg2) : index, memref<?xindex>, memref<?x4xf32>, memref<4xf32>
        return
      }
      slc.kernel @sum_kernel(%arg0: index {ember.name = "3"}, %arg1: memref<?xindex> {ember.name = "1"}, %arg2: memref<?x4xf32> {ember.name = "0"}, %arg3: memref<4xf32> {ember.name = "2"}) {
        %c4 = arith.constant 4 : index
        %c1 = arith.constant 1 : index
        %c0 = arith.constant 0 : index
        slc.for @l0 %l0 = %c0 : index to %arg0 : index step %c1 {
          %0 = slc.mem_stream %arg1[%l0] : memref<?xindex> -> !slc.stream<index>
          slc.for @l1 %l1 = %c0 : index to %c4 : index step %c1 {
            %1 = slc.mem_stream %arg2[%0, %l1] : memref<?x4xf32> -> !slc.stream<f32>
            slc.callback(%v = %l1 : index, %v_0 = %1 : f32) {
              %2 = memref.load %arg3[%v] : memref<4xf32>
              %3 = arith.addf %2, %v_0 : f32
              memref.store %3, %arg3[%v] : memref<4xf32>
            }
          }
        }
        slc.return
      }
    }
    ```
  }];
  let dependentDialects = ["::ember::slc::SlcDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertSLCToSCF : Pass<"convert-slc-to-scf", "::mlir::ModuleOp"> {
  let summary = "Lower slc kernels to loops of one processor";
  let description = [{
    For machines without access units: each kernel is put where it is launched.
    Indices that constants do not bound are checked where they are used; bad data
    is reported by `dlc.fault`, under the name of the buffer the index was read
    from, and what depends on it is skipped. Chunks are read where they lie.
    `prefetch-distance` is how many elements ahead of a loop over an index buffer
    the rows its entries name are prefetched; 0 prefetches nothing.

    ```mlir file=to_scf.mlir
    func.func @gather(%table: memref<?xf32> {ember.name = "table"},
                      %rows: memref<?xindex> {ember.name = "rows"},
                      %out: memref<8xf32>) {
      slc.launch @copy(%table, %rows, %out)
          : memref<?xf32>, memref<?xindex>, memref<8xf32>
      return
    }
    slc.kernel @copy(%table: memref<?xf32> {ember.name = "table"},
                     %rows: memref<?xindex> {ember.name = "rows"},
                     %out: memref<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      slc.for @rows %p = %c0 : index to %c8 : index step %c1 {
        %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
        %x = slc.mem_stream %table[%i] : memref<?xf32> -> !slc.stream<f32>
        slc.callback(%pv = %p : index, %xv = %x : f32) {
          memref.store %xv, %out[%pv] : memref<8xf32>
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt to_scf.mlir --convert-slc-to-scf --canonicalize
    module {
      func.func @gather(%arg0: memref<?xf32> {ember.name = "table"}, %arg1: memref<?xindex> {ember.name = "rows"}, %arg2: memref<8xf32>) {
        %c8 = arith.constant 8 : index
        %c1 = arith.constant 1 : index
        %c0 = arith.constant 0 : index
        %dim = memref.dim %arg0, %c0 : memref<?xf32>
        %dim_0 = memref.dim %arg1, %c0 : memref<?xindex>
        %0 = arith.cmpi sge, %dim_0, %c8 : index
        scf.if %0 {
          scf.for %arg3 = %c0 to %c8 step %c1 {
            %1 = memref.load %arg1[%arg3] : memref<?xindex>
            %2 = arith.cmpi ult, %1, %dim : index
            scf.if %2 {
              %3 = memref.load %arg0[%1] : memref<?xf32>
              memref.store %3, %arg2[%arg3] : memref<8xf32>
            } else {
              dlc.fault index_out_of_range argument "rows" (%arg3, %1, %dim) : index, index, index
            }
          } {ember.label = "rows"}
        } else {
          %1 = arith.maxsi %dim_0, %c0 : index
          dlc.fault subscript_out_of_range argument "rows" (%c0, %1, %dim_0) : index, index, index
        }
        return
      }
    }
    ```
  }];
  let options = [Option<"prefetchDistance", "prefetch-distance", "int64_t", "0",
                        "Elements to look ahead; 0 for no prefetches">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::ember::dlc::DlcDialect"];
}

def ConvertSLCToDLC : Pass<"convert-slc-to-dlc", "::mlir::ModuleOp"> {
  let summary = "Give the access unit and the core an ordered tree each";
  let description = [{
    Each `slc.kernel` becomes a `dlc.kernel` whose queues are those of the
    module's `dlc.target`:

    - What a callback takes is pushed where the callback stands, in operand order;
      the callback becomes a `dlc.take`.
    - An outermost loop whose bounds both sides know is counted; every other loop
      sends a token an iteration. If everything an iteration does on the core
      stands under one `slc.if`, iterations that fail it send nothing.
    - Operands of the queue kind `core` are not sent: the core computes them again
      from counters it keeps.

    ```mlir file=to_dlc.mlir
    slc.kernel @sum(%rows: memref<?xindex>, %table: memref<?x4xf32>,
                    %sum: memref<4xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      slc.for @rows %p = %c0 : index to %n : index step %c1 {
        %i = slc.mem_stream %rows[%p] : memref<?xindex> -> !slc.stream<index>
        slc.for @columns %d = %c0 : index to %c4 : index step %c1 {
          %x = slc.mem_stream %table[%i, %d] : memref<?x4xf32> -> !slc.stream<f32>
          slc.callback(%xv = %x : f32, %dv = %d : index) {
            %a = memref.load %sum[%dv] : memref<4xf32>
            %b = arith.addf %a, %xv : f32
            memref.store %b, %sum[%dv] : memref<4xf32>
          }
        }
      }
      slc.return
    }
    ```

    ```console
    $ ember-opt to_dlc.mlir --ember-attach-target --convert-slc-to-dlc | sed -n '/dlc.access/,$p'
        dlc.access {
          dlc.loop @rows %r = %c0 to %arg3 step %c1 counted {
            %0 = dlc.mem %arg0[%r] : memref<?xindex> -> index
            dlc.loop @columns %c = %c0 to %c4 step %c1 until {
              %1 = dlc.mem %arg1[%0, %c] : memref<?x4xf32> -> f32
              dlc.push data, %1 : f32
              dlc.push data, %c : index
            }
          }
        }
        dlc.execute {
          dlc.repeat @rows %r = %c0 to %arg3 step %c1 {
            dlc.until @columns {
              dlc.take(%arg4: f32 from data, %arg5: index from data) {
                %0 = memref.load %arg2[%arg5] : memref<4xf32>
                %1 = arith.addf %0, %arg4 : f32
                memref.store %1, %arg2[%arg5] : memref<4xf32>
              }
            }
          }
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::ember::dlc::DlcDialect"];
}

#endif // EMBER_CONVERSION_PASSES_TD
