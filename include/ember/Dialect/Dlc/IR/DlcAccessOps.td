//===- DlcAccessOps.td - The access side of the dlc dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCACCESSOPS_TD
#define EMBER_DIALECT_DLC_IR_DLCACCESSOPS_TD

class Dlc_AccessSideOp<string mnemonic, list<Trait> traits = []>
    : Dlc_Op<mnemonic, traits # [ParentOneOf<["AccessOp", "LoopOp", "IfOp"]>]>;

def Dlc_LoopOp : Dlc_AccessSideOp<"loop", [
    NoTerminator, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A loop of the access unit";
  let description = [{
    Counts from `lower` up to but not including `upper`: not at all if `upper` is
    below. A step that is not positive is a fault. A `counted` loop has bounds the
    core knows too (kernel arguments, constants) and sends the same sequence each
    iteration, or sends nothing; an `until` loop sends a token before each
    iteration and one at its end; an `announced` loop, of step 1, sends its trip
    count to the scalar queue before the first.

    ```mlir
    dlc.loop @elems %p = %begin to %end step %c1 until {
      ...
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, Index:$lower, Index:$upper, Index:$step,
                       Dlc_LoopModeAttr:$mode);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::StringRef":$label, "mlir::Value":$lower,
                   "mlir::Value":$upper, "mlir::Value":$step,
                   "LoopMode":$mode)>];
  let extraClassDeclaration = [{
    mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
  }];
}

def Dlc_IfOp : Dlc_AccessSideOp<"if", [
    NoTerminator, NoRegionArguments, RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A choice of the access unit";
  let description = [{
    `filter`: holds everything the iteration of the `until` loop around it
    sends, the token included; the core does not see iterations left out.
    `flag`: sends one word that says which way was taken. Neither: nothing is
    sent inside.

    ```mlir
    dlc.if %keep filter {
      dlc.push data, %x : f32
    }
    ```
  }];
  let arguments = (ins I1:$condition, OptionalAttr<Dlc_IfModeAttr>:$mode);
  let regions = (region SizedRegion<1>:$thenRegion,
                        MaxSizedRegion<1>:$elseRegion);
  let hasCustomAssemblyFormat = 1;
}

def Dlc_MemOp : Dlc_AccessSideOp<"mem"> {
  let summary = "Load on the access unit";
  let description = [{
    One element, a vector or a whole row along the last dimension. `valid`
    counts the elements that exist; the rest is zero and not read. The index of each
    dimension is checked against its extent.

    ```mlir
    %i = dlc.mem %indices[%p] : memref<?xi64> -> i64
    %r = dlc.mem %table[%i, %c0] valid 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref,
                       Variadic<Index>:$indices,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$valid);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $memref `[` $indices `]` (`valid` $valid^)? attr-dict
    `:` type($memref) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements of the result, and how many of them are read.
    int64_t getElementCount();
    int64_t getValidCount() { return getValid().value_or(getElementCount()); }
  }];
}

def Dlc_StoreOp : Dlc_AccessSideOp<"store"> {
  let summary = "Store on the access unit";
  let description = [{
    Writes all elements of a vector or row along the last dimension, or the first
    `length` of them; of a scalar one, or `length` times the same. The index of
    each dimension is checked against its extent. A buffer written so is used
    in no other way in the kernel.

    ```mlir
    dlc.store %r, %out[%p, %c0] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<AnyMemRef, "", [MemWrite]>:$memref,
                       Variadic<Index>:$indices,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$length);
  let assemblyFormat = [{
    $value `,` $memref `[` $indices `]` (`length` $length^)? attr-dict
    `:` type($value) `,` type($memref)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many elements are written.
    int64_t getCount();
  }];
}

def Dlc_PushOp : Dlc_AccessSideOp<"push"> {
  let summary = "Send a value to the core";
  let description = [{
    Waits for room. `dlc.take` takes it; the k-th value taken is the k-th pushed.

    ```mlir
    dlc.push scalar, %w : f32
    ```
  }];
  let arguments = (ins Dlc_QueueKindAttr:$queue, AnyType:$value);
  let assemblyFormat = "`` $queue `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_DLC_IR_DLCACCESSOPS_TD
