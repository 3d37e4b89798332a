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
def Emb_Features : Emb_Operand<" of the table's element type, U x D">;
def Emb_Scores : Emb_Operand<" of the table's element type">;
def Emb_Count : AnyTypeOf<[I32, I64, Index], "i32, i64 or index">;
def Emb_Out : Emb_Operand<" of the table's element type, written in full">;

/// An embedding operation: one destination `out`, one result if it is a tensor.
/// Effects and bufferization follow from EmbOpInterface and are the same for
/// all of them. `overrides`: methods of that interface the operation defines
/// although they have a default. `traits`: what else the operation has.
class Emb_Op<string mnemonic, list<string> overrides = [],
             list<Trait> traits = []>
    : Op<Emb_Dialect, mnemonic, traits # [
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
// emb.segment_bag
//===----------------------------------------------------------------------===//

def Emb_SegmentBagOp : Emb_Op<"segment_bag", ["getBoundsOperands"],
                              [AttrSizedOperandSegments]> {
  let summary = "Gather rows of a table and reduce those of each segment to one";
  let description = [{
    `table` has shape (N, D), `indices` and `segment_ids` (L), `out` (S, D).
    Segment s holds the indices whose segment id is s, and out[s, :] is their
    rows reduced to one. This is TensorFlow's SparseSegmentSum, -Mean and -SqrtN,
    and with `weights` its embedding_lookup_sparse.

    Segment ids do not decrease and are not negative. `num_segments` is S, and
    they are below it; without it S is the last id + 1, or 0 without ids. A
    segment that no id names is a row of +0.

    - `sum`: each row is multiplied by its weight if `weights`, of shape (L) and
      the table's element type, are given. Sums start at +0.
    - `mean` divides that by the number of rows that took part, or by the sum of
      their weights.
    - `sqrtn` divides it by the square root of that number, or of the sum of the
      squares of the weights.
    - A segment whose weights give 0 to divide by is a row of +0, whatever its
      rows hold.
    - `oob` says what an index outside the table means; see the attribute. An
      index that is skipped takes no part, nor does its weight.

    `indices` and `segment_ids` are i32, i64 or index, not necessarily the same.

    Errors found at run time: an index out of range, segment ids that decrease,
    a negative one, one not below `num_segments`, a negative `num_segments`,
    `segment_ids` or `weights` of another length than `indices`, an `out` with
    another number of rows than there are segments. `out` must not overlap an
    input.

    Example:

    ```mlir
    func.func @segments(%table: tensor<?x64xf32>, %indices: tensor<?xi64>,
                        %ids: tensor<?xi32>, %count: tensor<i32>)
        -> tensor<?x64xf32> {
      %n = tensor.extract %count[] : tensor<i32>
      %size = arith.index_cast %n : i32 to index
      %out = tensor.empty(%size) : tensor<?x64xf32>
      %result = emb.segment_bag sqrtn
          ins(%table, %indices, %ids
              : tensor<?x64xf32>, tensor<?xi64>, tensor<?xi32>)
          num_segments(%n : i32)
          outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
      return %result : tensor<?x64xf32>
    }
    ```

    With weights, on memrefs, the segments as many as the ids say:

    ```mlir
    emb.segment_bag mean
        ins(%table, %indices, %ids
            : memref<?x64xf16>, memref<?xi32>, memref<?xi64>)
        weights(%weights : memref<?xf16>)
        outs(%out : memref<?x64xf16>)
    ```
  }];
  let arguments = (ins Emb_ModeAttr:$mode, Emb_Table:$table,
      Emb_Indices:$indices, Emb_Indices:$segment_ids,
      Optional<Emb_Weights>:$weights, Optional<Emb_Count>:$num_segments,
      Emb_Out:$out,
      DefaultValuedAttr<Emb_OobAttr, "::ember::emb::Oob::Error">:$oob);
  let assemblyFormat = [{
    `` $mode `ins` `(` $table `,` $indices `,` $segment_ids `:` type($table) `,`
    type($indices) `,` type($segment_ids) `)`
    (`weights` `(` $weights^ `:` type($weights) `)`)?
    (`num_segments` `(` $num_segments^ `:` type($num_segments) `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// emb.spmm
//===----------------------------------------------------------------------===//

def Emb_SpmmOp : Emb_Op<"spmm", ["getBoundsOperands"]> {
  let summary = "Multiply a sparse matrix in CSR form by a dense one";
  let description = [{
    `table` is the dense matrix, of shape (N, D). The sparse one, R x N, is given
    by its row pointers `rowptr` (R + 1) and, for each stored element, an edge,
    its column in `columns` (E) and its value in `values` (E), 1 without them.
    `out` has shape (R, D): out[r, :] reduces value * table[column, :] over the
    edges of row r, from rowptr[r] to rowptr[r + 1]. This is torch.sparse.mm with
    its reductions, and a layer of a graph network that sums, averages or takes
    the extremes of the neighbours.

    Row pointers start at 0, do not decrease and end at E. Columns need not be
    sorted; one that occurs several times in a row counts each time.

    - A row without edges is a row of +0, for every mode.
    - `sum` starts at +0.
    - `mean` divides the sum by the number of edges, not by the sum of values.
    - `max` and `min` are NaN if any of their operands is; which of +0 and -0
      they give is open.
    - `oob` says what a column outside the table means; see the attribute. An
      edge that is skipped takes no part and is not counted.

    `columns` and `rowptr` are i32, i64 or index, not necessarily the same;
    `values` have the table's element type.

    Errors found at run time: a column out of range, no row pointers, row
    pointers that do not start at 0, decrease or do not end at E, `values` of
    another length than `columns`, an `out` with another number of rows than the
    sparse matrix. `out` must not overlap an input.

    Example:

    ```mlir
    func.func @neighbours(%h: tensor<?x64xf32>, %columns: tensor<?xi32>,
                          %rowptr: tensor<?xi64>, %values: tensor<?xf32>,
                          %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %result = emb.spmm max
          ins(%h, %columns, %rowptr
              : tensor<?x64xf32>, tensor<?xi32>, tensor<?xi64>)
          values(%values : tensor<?xf32>)
          outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
      return %result : tensor<?x64xf32>
    }
    ```

    Without values, on memrefs:

    ```mlir
    emb.spmm sum
        ins(%h, %columns, %rowptr
            : memref<?x64xbf16>, memref<?xi64>, memref<?xi64>)
        outs(%out : memref<?x64xbf16>)
    ```
  }];
  let arguments = (ins Emb_ModeAttr:$mode, Emb_Table:$table,
      Emb_Indices:$columns, Emb_Indices:$rowptr, Optional<Emb_Weights>:$values,
      Emb_Out:$out,
      DefaultValuedAttr<Emb_OobAttr, "::ember::emb::Oob::Error">:$oob);
  let assemblyFormat = [{
    `` $mode `ins` `(` $table `,` $columns `,` $rowptr `:` type($table) `,`
    type($columns) `,` type($rowptr) `)`
    (`values` `(` $values^ `:` type($values) `)`)?
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

//===----------------------------------------------------------------------===//
// emb.block_gather
//===----------------------------------------------------------------------===//

def Emb_BlockGatherOp : Emb_Op<"block_gather"> {
  let summary = "Gather blocks of neighbouring rows of a table";
  let description = [{
    `table` has shape (N, D) and is seen as N / `block` blocks of `block` rows.
    `indices` has any shape S, rank 0 and empty included, and `out` S with
    (`block`, D) appended: out[s, j, :] = table[indices[s] * block + j, :]. With
    a block of 1 this is `emb.lookup`. Block-sparse attention gathers its keys
    and values so.

    `oob` says what an index outside 0..N / block - 1 means, as for rows; a block
    that is skipped (`skip_negative`) is all +0.

    Errors found at run time: an index out of range, an N that is no multiple of
    `block`, an `out` whose leading dimensions are not those of `indices`.
    Positions of indices are counted row-major.

    Example:

    ```mlir
    func.func @block_gather(%table: tensor<?x64xf32>, %blocks: tensor<8xi32>)
        -> tensor<8x4x64xf32> {
      %out = tensor.empty() : tensor<8x4x64xf32>
      %result = emb.block_gather 4
          ins(%table, %blocks : tensor<?x64xf32>, tensor<8xi32>)
          outs(%out : tensor<8x4x64xf32>) -> tensor<8x4x64xf32>
      return %result : tensor<8x4x64xf32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$block,
      Emb_Table:$table, Emb_Indices:$indices, Emb_Out:$out,
      DefaultValuedAttr<Emb_OobAttr, "::ember::emb::Oob::Error">:$oob);
  let assemblyFormat = [{
    $block `ins` `(` $table `,` $indices `:` type($table) `,` type($indices) `)`
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// emb.fused_mm
//===----------------------------------------------------------------------===//

def Emb_FusedMMOp : Emb_Op<"fused_mm", ["getBoundsOperands"],
                           [AttrSizedOperandSegments]> {
  let summary = "Weigh the edges of a graph by both ends, sum neighbours' rows";
  let description = [{
    Message passing in a graph. `rowptr` (U + 1) and `columns` (E) are its
    adjacency matrix in CSR form: row u has an edge to each v of columns[p],
    rowptr[u] <= p < rowptr[u + 1]. `table` (N, D) holds the neighbours' rows,
    `out` is (U, D), and

        out[u, :] = sum over the edges of u of weight(u, v) * table[v, :]

    The edge function says what the weight is:

    | function | weight(u, v) |
    | --- | --- |
    | `identity` | 1 |
    | `dot` | s = rows[u, :] . table[v, :] |
    | `sigmoid_dot` | 1 / (1 + exp(-s)) |
    | `gat` | the softmax over the edges of u of leaky_relu(a[u] + b[v]) |

    `dot` and `sigmoid_dot` take `rows`, of shape (U, D). `gat`, the attention of
    graph attention networks, takes the halves of the score as `scores`: a of
    shape (U) and b of shape (N); leaky_relu multiplies what is not above 0 by
    `slope`. The softmax subtracts the row's greatest score, so large scores do
    not overflow. It is computed in one pass, in which what has been summed is
    scaled down whenever a greater score comes; with `three_pass` the greatest
    score, the divisor and the sum each take a pass of their own, which is the
    form the other is tested against.

    A row without edges is a row of +0. An edge given twice counts twice; columns
    of a row need no order; an edge from a row to itself is one like any other.
    Sums start at +0; NaN and infinities propagate by IEEE rules, so a row with a
    score of NaN or +infinity, or with none above -infinity, is NaN. Everything
    but `columns` and `rowptr` has the table's element type.

    Accuracy. Let eps be the unit roundoff of the type computed in (2^-24 for f32
    and narrower tables, 2^-53 for f64), n the edges of a row. Of finite inputs an
    element is within 2 * n * eps * sum(abs(weight * neighbour)), and one rounding
    to the element type, of an exact sum with weights that are off by

    | function | at most |
    | --- | --- |
    | `dot` | d = (D + 2) * eps * sum(abs(rows[u, :] * table[v, :])) |
    | `sigmoid_dot` | weight * ((1 - weight) * d + 6 * eps) |
    | `gat` | weight * (12 * size + 4 * span + 10 * n + 10) * eps |

    where size is the greatest abs(a[u]) + abs(b[v]), and span the difference of
    the greatest and the least score of the row. The order of sums is fixed for a
    level, so results are the same from run to run.

    `rowptr` and `columns` are i32, i64 or index, not necessarily the same.

    Errors found at run time: a column out of range, no row pointers, row pointers
    that do not start at 0, decrease or do not end at E, and sizes that do not
    fit. `out` must not overlap an input.

    Example:

    ```mlir
    func.func @messages(%h: tensor<?x64xf32>, %columns: tensor<?xi32>,
                        %rowptr: tensor<?xi64>, %out: tensor<?x64xf32>)
        -> tensor<?x64xf32> {
      %result = emb.fused_mm sigmoid_dot
          ins(%h, %columns, %rowptr
              : tensor<?x64xf32>, tensor<?xi32>, tensor<?xi64>)
          rows(%h : tensor<?x64xf32>)
          outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
      return %result : tensor<?x64xf32>
    }
    ```

    Graph attention, on memrefs:

    ```mlir
    emb.fused_mm gat
        ins(%h, %columns, %rowptr
            : memref<?x64xf32>, memref<?xi64>, memref<?xi64>)
        scores(%a, %b : memref<?xf32>, memref<?xf32>)
        outs(%out : memref<?x64xf32>) {slope = 2.0e-01 : f64}
    ```
  }];
  let arguments = (ins Emb_EdgeFunctionAttr:$function, Emb_Table:$table,
      Emb_Indices:$columns, Emb_Indices:$rowptr, Optional<Emb_Features>:$rows,
      Optional<Emb_Scores>:$row_scores, Optional<Emb_Scores>:$column_scores,
      Emb_Out:$out, OptionalAttr<F64Attr>:$slope, UnitAttr:$three_pass);
  let assemblyFormat = [{
    `` $function `ins` `(` $table `,` $columns `,` $rowptr `:` type($table) `,`
    type($columns) `,` type($rowptr) `)`
    (`rows` `(` $rows^ `:` type($rows) `)`)?
    (`scores` `(` $row_scores^ `,` $column_scores `:` type($row_scores) `,`
    type($column_scores) `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// emb.score
//===----------------------------------------------------------------------===//

def Emb_ScoreOp : Emb_Op<"score", [], [AttrSizedOperandSegments]> {
  let summary = "Score triples of a knowledge graph";
  let description = [{
    `entities` has shape (N, D), `relations` (M, K), `relation_ids` (B). With the
    rows h, r, t of head, relation and tail, the score of a triple is

    | function | score | K |
    | --- | --- | --- |
    | `transe` | gamma - norm_p(h + r - t), p = 1 or 2 | D |
    | `distmult` | sum of h * r * t | D |
    | `complex` | the real part of the sum of h * r * conj(t) | D |
    | `rotate` | gamma - sum of abs(h * exp(i * r) - t) | D / 2 |

    `complex` and `rotate` take a row of an entity, and `complex` that of a
    relation, as D / 2 real parts followed by D / 2 imaginary ones, so D is even;
    `rotate` takes the row of a relation as phases in radians. `gamma` is 0 if
    left out.

    `heads` and `tails` are (B), for one triple an element of `out` (B). One of
    the two may be (B, C), a list of candidates for each triple, or be left out,
    which stands for all entities; `out` is (B, C) then, or (B, N). Of these the
    row that head or tail and relation make together is computed once a triple,
    so scores equal those of single triples up to rounding.

    Squares and products are of the type computed in, so they may overflow where
    the score would not. Everything but indices has the entities' element type.

    Accuracy. Let eps be the unit roundoff of the type computed in (2^-24 for f32
    and narrower tables, 2^-53 for f64). Of finite inputs a score is within the
    following of the exact one, and one rounding to the element type:

    | function | at most |
    | --- | --- |
    | `transe` | norm_p(3 * eps * (abs(h) + abs(r) + abs(t))) + (D + 4) * eps * norm + eps * (gamma + norm) |
    | `distmult` | (D + 4) * eps * sum(abs(h * r * t)) |
    | `complex` | (D + 8) * eps * the sum of products of abs(real) + abs(imaginary) of h, r and t |
    | `rotate` | 12 * eps * sum(abs(h) + abs(t)) + (D + 4) * eps * norm + eps * (gamma + norm), f64 three times the first |

    The order of sums is fixed for a level, so results are the same from run to
    run.

    Errors found at run time: an index out of range, sizes that do not fit.
    `out` must not overlap an input.

    Example:

    ```mlir
    func.func @score(%entities: tensor<?x64xf32>, %relations: tensor<?x64xf32>,
                     %relation_ids: tensor<8xi64>, %heads: tensor<8xi64>,
                     %tails: tensor<8x100xi64>) -> tensor<8x100xf32> {
      %out = tensor.empty() : tensor<8x100xf32>
      %result = emb.score transe
          ins(%entities, %relations, %relation_ids
              : tensor<?x64xf32>, tensor<?x64xf32>, tensor<8xi64>)
          heads(%heads : tensor<8xi64>) tails(%tails : tensor<8x100xi64>)
          outs(%out : tensor<8x100xf32>)
          {p = 1 : i64, gamma = 1.2e+01 : f64} -> tensor<8x100xf32>
      return %result : tensor<8x100xf32>
    }
    ```

    Against all entities as tails, on memrefs:

    ```mlir
    emb.score distmult
        ins(%entities, %relations, %relation_ids
            : memref<?x64xf32>, memref<?x64xf32>, memref<?xi64>)
        heads(%heads : memref<?xi64>) outs(%out : memref<?x?xf32>)
    ```
  }];
  let arguments = (ins Emb_ScoreFunctionAttr:$function, Emb_Table:$entities,
      Emb_Table:$relations, Emb_Indices:$relation_ids,
      Optional<Emb_Indices>:$heads, Optional<Emb_Indices>:$tails, Emb_Out:$out,
      OptionalAttr<I64Attr>:$p, OptionalAttr<F64Attr>:$gamma);
  let assemblyFormat = [{
    `` $function `ins` `(` $entities `,` $relations `,` $relation_ids `:`
    type($entities) `,` type($relations) `,` type($relation_ids) `)`
    (`heads` `(` $heads^ `:` type($heads) `)`)?
    (`tails` `(` $tails^ `:` type($tails) `)`)?
    `outs` `(` $out `:` type($out) `)` attr-dict (`->` type($result)^)?
  }];
}

#endif // EMBER_DIALECT_EMB_IR_EMBOPS_TD
