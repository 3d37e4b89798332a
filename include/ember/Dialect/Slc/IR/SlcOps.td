//===- SlcOps.td - Operations of the slc dialect -----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCOPS_TD
#define EMBER_DIALECT_SLC_IR_SLCOPS_TD

include "ember/Dialect/Slc/IR/SlcTypes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A position on the access side: a stream, or a kernel argument or constant.
def Slc_IndexLike : AnyTypeOf<[Index,
    Type<CPred<"$_self == ::ember::slc::StreamType::get($_self.getContext(), "
               "::mlir::IndexType::get($_self.getContext()))">,
         "stream of index">]>;
def Slc_IntegerLike : AnyTypeOf<[AnySignlessIntegerOrIndex, Slc_Stream]>;
def Slc_Condition : Type<
    CPred<"$_self == ::ember::slc::StreamType::get($_self.getContext(), "
          "::mlir::IntegerType::get($_self.getContext(), 1))">,
    "stream of i1">;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Slc_KernelOp : Slc_Op<"kernel", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface,
    IsolatedFromAbove, SingleBlock]> {
  let summary = "A loop nest in structured lookup-compute form";
  let description = [{
    Arguments are buffers and scalars; there are no results: a kernel writes to
    buffers. Host code runs it with `slc.launch`. An argument keeps the name
    the user knows it by in `ember.name`.

    ```mlir
    slc.kernel @copy(%in: memref<?xf32> {ember.name = "in"}, %out: memref<?xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      slc.for @elements %i = %c0 : index to %n : index step %c1 {
        %x = slc.mem_stream %in[%i] : memref<?xf32> -> !slc.stream<f32>
        slc.callback(%v = %x : f32, %at = %i : index) {
          memref.store %v, %out[%at] : memref<?xf32>
        }
      }
      slc.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Results are not allowed, so the type lists only arguments.
    mlir::ArrayRef<mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    mlir::ArrayRef<mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    mlir::Region *getCallableRegion() { return &getBody(); }
    /// The name the user knows argument `index` by, or its number.
    std::string getArgumentName(unsigned index);
  }];
}

def Slc_ReturnOp : Slc_Op<"return", [HasParent<"KernelOp">, Pure, Terminator]> {
  let summary = "End of a kernel";
  let assemblyFormat = "attr-dict";
}

def Slc_LaunchOp : Slc_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run a kernel from host code and wait for it";
  let description = [{
    ```mlir
    slc.launch @copy(%in, %out, %n) : memref<?xf32>, memref<?xf32>, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$operands);
  let assemblyFormat = [{
    $kernel `(` $operands `)` attr-dict (`:` type($operands)^)?
  }];
}

def Slc_LocalOp : Slc_Op<"local", [HasParent<"KernelOp">]> {
  let summary = "Memory private to one core, for the time of the kernel";
  let description = [{
    For state that does not fit registers. Its contents are undefined at first.
    Only callbacks use it.

    ```mlir
    %acc = slc.local : memref<100xf32, #slc.local>
    ```
  }];
  let results = (outs Res<AnyStaticShapeMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

def Slc_ForOp : Slc_Op<"for", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A loop of the access side, which the core follows";
  let description = [{
    Counts from `lower` up to but not including `upper`. Bounds are access values
    (a plain `index` bound is a kernel argument or constant, and is written with
    its type); the step is a kernel argument or constant, above 0. The counter
    is a stream; `iter_args` are execute values. The label names the loop on both
    sides and is unique in its kernel. `parallel` says that iterations write
    different places, so that cores may share them. The core learns of each
    iteration of an inner loop by a token; a `counted` loop, of step 1 unless
    the core knows its bounds, tells its trip count once instead.

    ```mlir
    %n = slc.for @elems %p = %begin to %end step %c1 iter_args(%k = %c0_i64) -> (i64) {
      %next = slc.callback -> i64 {
        %k1 = arith.addi %k, %c1_i64 : i64
        slc.yield %k1 : i64
      }
      slc.yield %next : i64
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, Slc_IndexLike:$lower,
                       Slc_IndexLike:$upper, Index:$step,
                       Variadic<AnyType>:$inits, UnitAttr:$parallel,
                       UnitAttr:$counted);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::StringRef":$label, "mlir::Value":$lower,
                   "mlir::Value":$upper, "mlir::Value":$step,
                   CArg<"mlir::ValueRange", "{}">:$inits,
                   CArg<"bool", "false">:$parallel)>];
  let extraClassDeclaration = [{
    mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
    mlir::Block::BlockArgListType getIterArgs() {
      return getBody().getArguments().drop_front();
    }
    /// Whether the core knows both bounds: kernel arguments or constants.
    bool hasKnownBounds();
  }];
}

def Slc_IfOp : Slc_Op<"if", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">, NoRegionArguments]> {
  let summary = "A choice of the access side, which the core follows";
  let description = [{
    ```mlir
    %n = slc.if %keep -> (i64) { ... slc.yield %next : i64 } else { slc.yield %k : i64 }
    ```
    Without results the else region may be left out.
  }];
  let arguments = (ins Slc_Condition:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion,
                        MaxSizedRegion<1>:$elseRegion);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::TypeRange":$results, "mlir::Value":$condition,
                   "bool":$withElse)>];
}

def Slc_YieldOp : Slc_Op<"yield", [
    ParentOneOf<["ForOp", "IfOp", "CallbackOp"]>, Pure, ReturnLike,
    Terminator]> {
  let summary = "Execute values handed to the enclosing operation";
  let arguments = (ins Variadic<AnyType>:$results);
  let builders = [OpBuilder<(ins), [{ /* no results */ }]>];
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

def Slc_MemStreamOp : Slc_Op<"mem_stream", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>]> {
  let summary = "Load from a buffer on the access side";
  let description = [{
    One element, or one vector along the last dimension, which then has stride
    1. `valid` counts the elements that exist: lanes from there on are zero and
    not read. An index written without a type is a stream; a kernel argument or
    constant is written with its type. Each dimension is checked against its
    extent as the access unit reads.

    ```mlir
    %i = slc.mem_stream %idx[%p] : memref<?xi64> -> !slc.stream<i64>
    %x = slc.mem_stream %t[%i, %c96 : index] valid 4 : memref<?x100xf32> -> !slc.stream<vector<16xf32>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref,
                       Variadic<Slc_IndexLike>:$indices,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$valid);
  let results = (outs Slc_Stream:$stream);
  let assemblyFormat = [{
    $memref `[` custom<StreamIndices>($indices, type($indices)) `]`
    (`valid` $valid^)? attr-dict `:` type($memref) `->` qualified(type($stream))
  }];
  let hasVerifier = 1;
}

def Slc_BufferStreamOp : Slc_Op<"buffer_stream", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>]> {
  let summary = "Load a run of elements as one chunk";
  let description = [{
    Reads `length` elements along the last dimension (stride 1) from the given
    place. The chunk may be longer: the rest is zero.

    ```mlir
    %r = slc.buffer_stream %t[%i, %c0 : index] length 100 : memref<?x100xf32> -> !slc.chunk<112xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memref,
                       Variadic<Slc_IndexLike>:$indices,
                       ConfinedAttr<I64Attr, [IntPositive]>:$length);
  let results = (outs Slc_Chunk:$chunk);
  let assemblyFormat = [{
    $memref `[` custom<StreamIndices>($indices, type($indices)) `]`
    `length` $length attr-dict `:` type($memref) `->` qualified(type($chunk))
  }];
  let hasVerifier = 1;
}

def Slc_StoreStreamOp : Slc_Op<"store_stream", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>]> {
  let summary = "Store to a buffer on the access side";
  let description = [{
    The access unit writes without the core: all elements of a vector or chunk
    along the last dimension, which then has stride 1, or the first `length` of
    them; of a scalar one, or `length` times the same. The value is a stream, a
    chunk, a kernel argument or a constant. Each dimension is checked against its
    extent. A buffer written so is used in no other way in the kernel.

    ```mlir
    slc.store_stream %r, %out[%p, %c0 : index] length 100 : !slc.chunk<112xf32>, memref<?x100xf32>
    slc.store_stream %zero, %out[%p, %c0 : index] length 100 : f32, memref<?x100xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessIntegerOrIndex, AnyFloat,
                                  Slc_Stream, Slc_Chunk]>:$value,
                       Arg<AnyMemRef, "", [MemWrite]>:$memref,
                       Variadic<Slc_IndexLike>:$indices,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$length);
  let assemblyFormat = [{
    $value `,` $memref `[` custom<StreamIndices>($indices, type($indices)) `]`
    (`length` $length^)? attr-dict `:` qualified(type($value)) `,` type($memref)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many elements are written.
    int64_t getCount();
  }];
}

def Slc_AluStreamOp : Slc_Op<"alu_stream", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>, Pure]> {
  let summary = "Integer arithmetic on the access side";
  let description = [{
    Operands are streams, kernel arguments or constants. `min` and `max` are
    signed; comparisons give `i1`; `index_cast` sign-extends or truncates
    between an integer and `index`, as `arith.index_cast` does.

    ```mlir
    %q = slc.alu_stream add %p, %c1 : (!slc.stream<index>, index) -> !slc.stream<index>
    %k = slc.alu_stream ne %i, %pad : (!slc.stream<i64>, i64) -> !slc.stream<i1>
    ```
  }];
  let arguments = (ins Slc_AluOpcode:$opcode,
                       Variadic<Slc_IntegerLike>:$operands);
  let results = (outs Slc_Stream:$stream);
  let assemblyFormat = [{
    $opcode $operands attr-dict `:` functional-type($operands, $stream)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

def Slc_CallbackOp : Slc_Op<"callback", [
    ParentOneOf<["KernelOp", "ForOp", "IfOp"]>, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Code of the core";
  let description = [{
    Takes streams and chunks, which are sent where it stands and in operand
    order; a stream arrives as a value, a chunk as memory of the queue, which
    must not outlive the callback. The body is ordinary code; it also sees the
    execute values that dominate it, kernel arguments and constants.
    `queues` says how each operand arrives; without it all use the data queue.

    ```mlir
    slc.callback(%w = %ws : f32, %row = %r : memref<112xf32, #slc.queue>) queues [scalar, data] {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Slc_Stream, Slc_Chunk]>>:$operands,
                       OptionalAttr<TypedArrayAttrBase<Slc_QueueKindAttr,
                           "array of queue kinds">>:$queues);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "mlir::TypeRange":$results, "mlir::ValueRange":$operands,
                   CArg<"mlir::ArrayRef<QueueKind>", "{}">:$queues)>];
  let extraClassDeclaration = [{
    /// The queue of operand `index`; data unless `queues` says otherwise.
    QueueKind getQueue(unsigned index);
  }];
}

#endif // EMBER_DIALECT_SLC_IR_SLCOPS_TD
