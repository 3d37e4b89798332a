//===- DlcOps.td - Operations of the dlc dialect -----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCOPS_TD
#define EMBER_DIALECT_DLC_IR_DLCOPS_TD

include "ember/Dialect/Dlc/IR/DlcAttributes.td"
include "ember/Dialect/Dlc/IR/DlcDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Dlc_KernelOp : Dlc_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "What the access unit and the core do, side by side";
  let description = [{
    Holds constants, which both sides see, one `dlc.access` and one
    `dlc.execute`. The two are ordered trees over the same named loops: what
    the access tree sends, the execute tree takes, in one order over all queues. The
    verifier writes both sides as terms and compares them, so that a misaligned
    queue is a compile error. `dlc.launch` runs it.

    ```mlir
    dlc.kernel @copy(%in: memref<?xf32> {ember.name = "in"}, %out: memref<?xf32>, %n: index)
        queues <data = 16384, scalar = 2048, token = 2048> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      dlc.access {
        dlc.loop @elements %i = %c0 to %n step %c1 counted {
          %x = dlc.mem %in[%i] : memref<?xf32> -> f32
          dlc.push data, %x : f32
        }
      }
      dlc.execute {
        dlc.repeat @elements %i = %c0 to %n step %c1 {
          dlc.take(%x : f32 from data) {
            memref.store %x, %out[%i] : memref<?xf32>
          }
        }
      }
    }
    ```

    A queue holds at least what one `dlc.take` takes from it and its
    largest element besides, so no sequence of pushes and takes can stall.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       Dlc_QueuesAttr:$queues,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    mlir::ArrayRef<mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    mlir::ArrayRef<mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    mlir::Region *getCallableRegion() { return &getBody(); }
    /// The name the user knows argument `index` by, or its number.
    std::string getArgumentName(unsigned index);
    AccessOp getAccess();
    ExecuteOp getExecute();
  }];
}

def Dlc_AccessOp : Dlc_Op<"access", [HasParent<"KernelOp">, NoTerminator,
                                     RecursiveMemoryEffects, SingleBlock]> {
  let summary = "What the access unit does";
  let description = [{
    Holds `dlc.loop`, `dlc.if`, `dlc.mem`, `dlc.store`, `dlc.push`, and the
    integer operations of `arith` that an access unit has.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Dlc_ExecuteOp : Dlc_Op<"execute", [
    AutomaticAllocationScope, HasParent<"KernelOp">, NoTerminator,
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "What the core does";
  let description = [{
    Holds `dlc.repeat`, `dlc.times`, `dlc.until`, `dlc.when`, `dlc.take`, and
    ordinary code.
    Queues are used under no other control flow. Memory private to the core is
    `memref.alloca` and lasts as long as the kernel runs.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Dlc_YieldOp : Dlc_Op<"yield", [
    ParentOneOf<["RepeatOp", "TakeOp", "TimesOp", "UntilOp", "WhenOp"]>, Pure, ReturnLike,
    Terminator]> {
  let summary = "Values handed to the enclosing operation of the execute side";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ /* hands on nothing */ }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

def Dlc_LaunchOp : Dlc_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel from host code and wait for it";
  let description = [{
    ```mlir
    dlc.launch @copy(%in, %out, %n) : memref<?xf32>, memref<?xf32>, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$operands);
  let assemblyFormat = [{
    $kernel `(` $operands `)` attr-dict (`:` type($operands)^)?
  }];
}

def Dlc_FaultOp : Dlc_Op<"fault", [MemoryEffects<[MemWrite]>]> {
  let summary = "Reports bad data to the run time";
  let description = [{
    Host code that has found bad data reports it here; the run time turns the
    first report of a call into the user's error, naming the argument, the
    position, the value found there and the limit it was held against (number
    of rows, number of indices, previous offset, ...). Code after it goes on: the
    caller leaves out what must not happen. `site` is given by `dlc-split`, which
    lists all sites in a table.

    ```mlir
    dlc.fault index_out_of_range argument "indices" (%p, %i, %rows) : index, i64, index
    ```
  }];
  let arguments = (ins
    Dlc_FaultKindAttr:$kind,
    StrAttr:$argument,
    AnySignlessIntegerOrIndex:$position,
    AnySignlessIntegerOrIndex:$value,
    AnySignlessIntegerOrIndex:$limit,
    OptionalAttr<I32Attr>:$site);
  let assemblyFormat = [{
    `` $kind `argument` $argument ` ` `(` $position `,` $value `,` $limit `)`
    (`site` $site^)? attr-dict `:` type($position) `,` type($value) `,` type($limit)
  }];
}

include "ember/Dialect/Dlc/IR/DlcAccessOps.td"
include "ember/Dialect/Dlc/IR/DlcExecuteOps.td"

#endif // EMBER_DIALECT_DLC_IR_DLCOPS_TD
