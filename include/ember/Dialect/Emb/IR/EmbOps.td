//===- EmbOps.td - Operations of the emb dialect -----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMBOPS_TD
#define EMBER_DIALECT_EMB_IR_EMBOPS_TD

include "ember/Dialect/Emb/IR/EmbDialect.td"
include "ember/Dialect/Emb/IR/EmbInterfaces.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A tensor or memref. Ranks and element types are left to the verifiers, whose
/// messages name the operand.
class Emb_Operand<string what>
    : Type<Or<[AnyRankedTensor.predicate, AnyStridedMemRef.predicate]>,
           "ranked tensor or strided memref" # what, "::mlir::ShapedType">;
def Emb_Table : Emb_Operand<" of floats, N x D">;
def Emb_Indices : Emb_Operand<" of i32, i64 or index">;
def Emb_Weights : Emb_Operand<" of the table's element type, one an index">;
def Emb_Out : Emb_Operand<" of the table's element type, written in full">;

/// An embedding operation: one destination `out`, one result if it is a tensor.
/// Effects and bufferization follow from EmbOpInterface and are the same for
/// all of them. `overrides`: methods of that interface the operation defines
/// although they have a default.
class Emb_Op<string mnemonic, list<string> overrides = []>
    : Op<Emb_Dialect, mnemonic, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<EmbOpInterface, overrides>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<BufferizableOpInterface, [
          "bufferizesToMemoryRead", "bufferizesToMemoryWrite",
          "getAliasingValues", "bufferize"]>]> {
  let results = (outs Optional<AnyRankedTensor>:$result);
  let hasVerifier = 1;

  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
  }];

  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
            ::mlir::MemoryEffects::Effect>> &effects) {
      detail::getEffects(*this, effects);
    }
    bool $cppClass::bufferizesToMemoryRead(
        ::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &state) {
      return !(isDpsInit(&operand) && isFullyWritten(operand));
    }
    bool $cppClass::bufferizesToMemoryWrite(
        ::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &state) {
      return isDpsInit(&operand);
    }
    ::mlir::bufferization::AliasingValueList $cppClass::getAliasingValues(
        ::mlir::OpOperand &operand,
        const ::mlir::bufferization::AnalysisState &state) {
      if (!isDpsInit(&operand))
        return {};
      return {{getTiedOpResult(&operand),
               ::mlir::bufferization::BufferRelation::Equivalent}};
    }
    ::llvm::LogicalResult $cppClass::bufferize(
        ::mlir::RewriterBase &rewriter,
        const ::mlir::bufferization::BufferizationOptions &options,
        ::mlir::bufferization::BufferizationState &state) {
      return detail::bufferize(*this, rewriter, options, state);
    }
  }];
}

//===----------------------------------------------------------------------===//
// emb.bag
//===----------------------------------------------------------------------===//

def Emb_BagOp : Emb_Op<"bag", ["getBoundsOperands"]> {
  let summary = "Gather rows of a table and reduce each bag of them to one row";
  let description = [{
    `table` has shape (N, D), `indices` (L), `offsets` is rank 1, `out` (B, D).
    Bag b holds the indices from offsets[b] to offsets[b + 1], and out[b, :] is
    the sum, mean or maximum of the rows they name. This is PyTorch's
    EmbeddingBag; two-dimensional indices are written as flattened ones with
    offsets.

    Offsets start at 0, do not decrease and do not pass L. Without
    `include_last_offset` there are B of them and the last bag ends at L; with it
    there are B + 1, the last bag ends at offsets[B], and indices beyond it
    belong to no bag and are not looked at.

    - An empty bag is a row of +0, for every mode.
    - `sum`: each row is multiplied by its weight if `weights`, of shape (L) and
      the table's element type, are given. Sums start at +0.
    - `mean` divides the sum by the number of rows that took part.
    - `max` starts from the first row that takes part and replaces an element
      when the new one is greater (ordered `>`): a NaN in the first row stays,
      a later one is passed over, of equal values the first stays.
    - `padding_idx` names a row that takes no part, nor does its weight: it is
      not read and not counted. -N..-1 count from the end; outside -N..N-1 is an
      error.
    - `oob` says what an index outside the table means; see the attribute.
      Padding is tested after clamping; -1 is out of range whatever padding is.

    `indices` and `offsets` are i32, i64 or index, not necessarily the same.

    Errors found at run time: an index out of range, no offsets where there
    must be one, offsets that do not start at 0, decrease or pass L, padding_idx
    out of range, `weights` of another length than `indices`, an `out` with
    another number of rows than there are bags. `out` must not overlap an input.

    Example:

    ```mlir
    func.func @bag(%table: tensor<?x64xf32>, %indices: tensor<?xi64>,
                   %offsets: tensor<?xi64>) -> tensor<?x64xf32> {
      %c0 = arith.constant 0 : index
      %bags = tensor.dim %offsets, %c0 : tensor<?xi64>
      %out = tensor.empty(%bags) : tensor<?x64xf32>
      %result = emb.bag mean
          ins(%table, %indices, %offsets
              : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi64>)
          outs(%out : tensor<?x64xf32>)
          {padding_idx = 0 : i64, oob = #emb.oob<clamp>} -> tensor<?x64xf32>
      return %result : tensor<?x64xf32>
    }
    ```

    With weights, on memrefs:

    ```mlir
    emb.bag sum
        ins(%table, %indices, %offsets
            : memref<?x64xbf16>, memref<?xi32>, memref<?xi64>)
        weights(%weights : memref<?xbf16>)
        outs(%out : memref<?x64xbf16>) {include_last_offset}
    ```
  }];
  let arguments = (ins Emb_ModeAttr:$mode, Emb_Table:$table,
      Emb_Indices:$indices, Emb_Indices:$offsets,
      Optional<Emb_Weights>:$weights, Emb_Out:$out,
      UnitAttr:$include_last_offset, OptionalAttr<I64Attr>:$padding_idx,
      DefaultValuedAttr<Emb_OobAttr, "::ember::emb::Oob::Error">:$oob);
  let assemblyFormat = [{
    `` $mode `ins` `(` $table `,` $indices `,` $offsets `:` type($table) `,`
    type($indices) `,` type($offsets) `)`
    (`weights` `(` $weights^ `:` type($weights) `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// emb.lookup
//===----------------------------------------------------------------------===//

def Emb_LookupOp : Emb_Op<"lookup"> {
  let summary = "Gather rows of a table";
  let description = [{
    `table` has shape (N, D), `indices` any shape S, rank 0 and empty included,
    and `out` S with D appended: out[s, :] = table[indices[s], :]. This is
    PyTorch's Embedding and TensorFlow's gather of rows.

    `oob` says what an index outside the table means; an index that is skipped
    (`skip_negative`) gives a row of +0. `padding_idx` has no effect on the
    result, as in PyTorch, but must name a row: -N..-1 count from the end, and
    outside -N..N-1 is an error.

    Errors found at run time: an index out of range, padding_idx out of range, an
    `out` whose leading dimensions are not those of `indices`. Positions of
    indices are counted row-major.

    Example:

    ```mlir
    func.func @lookup(%table: tensor<?x64xf32>, %indices: tensor<8x?xi32>)
        -> tensor<8x?x64xf32> {
      %c1 = arith.constant 1 : index
      %n = tensor.dim %indices, %c1 : tensor<8x?xi32>
      %out = tensor.empty(%n) : tensor<8x?x64xf32>
      %result = emb.lookup
          ins(%table, %indices : tensor<?x64xf32>, tensor<8x?xi32>)
          outs(%out : tensor<8x?x64xf32>) -> tensor<8x?x64xf32>
      return %result : tensor<8x?x64xf32>
    }
    ```
  }];
  let arguments = (ins Emb_Table:$table, Emb_Indices:$indices,
      Emb_Out:$out, OptionalAttr<I64Attr>:$padding_idx,
      DefaultValuedAttr<Emb_OobAttr, "::ember::emb::Oob::Error">:$oob);
  let assemblyFormat = [{
    `ins` `(` $table `,` $indices `:` type($table) `,` type($indices) `)`
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
}

#endif // EMBER_DIALECT_EMB_IR_EMBOPS_TD
