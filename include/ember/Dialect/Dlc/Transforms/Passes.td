//===- Passes.td - Passes on the dlc dialect ---------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmberAttachTarget : Pass<"ember-attach-target", "::mlir::ModuleOp"> {
  let summary = "Tell a module the machine it is compiled for";
  let description = [{
    Sets the module's `dlc.target`, which is all that other passes know of the
    machine, from a machine file. A target the module has is replaced.

    ```mlir file=empty.mlir
    module {
    }
    ```

    ```console
    $ ember-opt empty.mlir --ember-attach-target='machine=dae-ddr4 set=core.vector_bits=256' |
    >   tr ',' '\n' | grep -E 'machine|vector_bits|access_unit'
    module attributes {dlc.target = #dlc.target<machine = "dae-ddr4"
     vector_bits = 256
     access_unit = true
    ```
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"dae-hbm2\"",
           "Name of a shipped machine, or path of a machine file">,
    ListOption<"overrides", "set", "std::string",
               "Values of the machine file to replace, key=value">];
  let dependentDialects = ["::ember::dlc::DlcDialect"];
}

def DlcSplit : Pass<"dlc-split", "::mlir::ModuleOp"> {
  let summary = "Give host, access unit and core a module each";
  let description = [{
    The module becomes three nested ones:

    - `@host`: the functions, with the context of the run time as a new first
      argument. A `dlc.launch @k` becomes a call of `@k_access`, one of
      `@k_execute` and one of the run time's `ember_au_wait`.
    - `@access`: for each kernel `@k_access`, which programs the access unit by
      calls of `ember_au_*` (ember/Runtime/ABI.h) and starts it.
    - `@execute`: for each kernel `@k_execute`, the execute side as it was.

    A module without kernels (a machine without access units) becomes `@host`
    alone. In the code of host and core, steps of loops and sizes of buffers
    that may not be allowed are checked first. Reports of bad data carry numbers;
    the tables `dlc.sites`, on `@host` for `dlc.fault` and on each access
    function for the operations of its program, say what they stand for.

    ```mlir file=dlc.mlir
    func.func @copy(%in: memref<8xf32>, %out: memref<8xf32>) {
      dlc.launch @k(%in, %out) : memref<8xf32>, memref<8xf32>
      return
    }
    dlc.kernel @k(%in: memref<8xf32>, %out: memref<8xf32>)
        queues <data = 16384, scalar = 2048, token = 2048> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      dlc.access {
        dlc.loop @elements %i = %c0 to %c8 step %c1 counted {
          %x = dlc.mem %in[%i] : memref<8xf32> -> f32
          dlc.push data, %x : f32
        }
      }
      dlc.execute {
        dlc.repeat @elements %i = %c0 to %c8 step %c1 {
          dlc.take(%x: f32 from data) {
            memref.store %x, %out[%i] : memref<8xf32>
          }
        }
      }
    }
    ```

    ```console
    $ ember-opt dlc.mlir --dlc-split --canonicalize
    ...
      module @host attributes {dlc.sites = []} {
        func.func private @k_access(!llvm.ptr, memref<8xf32>, memref<8xf32>)
        func.func private @k_execute(!llvm.ptr, memref<8xf32>, memref<8xf32>)
        func.func private @ember_au_wait(!llvm.ptr)
        func.func @copy(%arg0: !llvm.ptr, %arg1: memref<8xf32>, %arg2: memref<8xf32>) attributes {llvm.emit_c_interface} {
          call @k_access(%arg0, %arg1, %arg2) : (!llvm.ptr, memref<8xf32>, memref<8xf32>) -> ()
          call @k_execute(%arg0, %arg1, %arg2) : (!llvm.ptr, memref<8xf32>, memref<8xf32>) -> ()
          call @ember_au_wait(%arg0) : (!llvm.ptr) -> ()
          return
        }
      }
    ...
          call @ember_au_loop(%arg0, %c2_i32, %c0_i32, %c1_i32, %c1_i64, %c-1_i32) : (!llvm.ptr, i32, i32, i32, i64, i32) -> ()
          %intptr = memref.extract_aligned_pointer_as_index %arg1 : memref<8xf32> -> index
          %0 = arith.index_cast %intptr : index to i64
          %1 = llvm.inttoptr %0 : i64 to !llvm.ptr
          call @ember_au_mem(%arg0, %c3_i32, %1, %c4_i32, %c1_i32, %c1_i32, %c1_i32) : (!llvm.ptr, i32, !llvm.ptr, i32, i32, i32, i32) -> ()
          call @ember_au_dim(%arg0, %c2_i32, %c8_i64, %c4_i64) : (!llvm.ptr, i32, i64, i64) -> ()
          call @ember_au_push(%arg0, %c0_i32, %c3_i32, %c8_i32) : (!llvm.ptr, i32, i32, i32) -> ()
          call @ember_au_end(%arg0) : (!llvm.ptr) -> ()
          call @ember_au_start(%arg0) : (!llvm.ptr) -> ()
          return
        }
      }
      module @execute {
        func.func @k_execute(%arg0: !llvm.ptr, %arg1: memref<8xf32>, %arg2: memref<8xf32>) attributes {dlc.queues = #dlc.queues<data = 16384, scalar = 2048, token = 2048>, passthrough = [["ember-function", "copy"]]} {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          dlc.repeat @elements %e = %c0 to %c8 step %c1 {
            dlc.take(%arg3: f32 from data) {
              memref.store %arg3, %arg2[%e] : memref<8xf32>
            }
          }
          return
        }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::ember::dlc::DlcDialect"];
}

#endif // EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD
