//===- EmbDialect.td - The emb dialect ---------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMBDIALECT_TD
#define EMBER_DIALECT_EMB_IR_EMBDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Emb_Dialect : Dialect {
  let name = "emb";
  let summary = "Embedding operations: what is computed";
  let description = [{
    The operations of recommenders, graph learning and knowledge graphs that
    gather rows of a table by index and reduce them, as the frameworks define
    them. An operation says what is computed and nothing about how: no loops,
    no queues, no memory layout.

    Operations are in destination style: the result is written to `outs`, on
    tensors as a new value of that shape, on memrefs in place. Every operation
    writes all of `outs` and never reads it, so `tensor.empty` is the usual
    destination. `ember-bufferize` turns tensors into memrefs and
    `convert-emb-to-scf` turns operations on memrefs into loops, preceded by the
    checks of whatever the loops themselves would not notice.

    Shapes. A table has N rows of D elements; D is static, everything else may
    be dynamic, and any of them may be 0. Floats narrower than 32 bits are
    accumulated in f32 and rounded once, to nearest even; f64 stays f64.

    Errors. What types show to be wrong is a verifier error. What only data can
    show is reported at run time as the first bad position with its value and
    the limit it was held against (`dlc.fault`, or the access unit's own check of
    a row index); results are then not delivered. No input is ever undefined
    behaviour.
  }];
  let cppNamespace = "::ember::emb";
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Emb_ModeEnum : I32Enum<"Mode", "how several rows become one", [
  I32EnumCase<"Sum", 0, "sum">,
  I32EnumCase<"Mean", 1, "mean">,
  I32EnumCase<"Max", 2, "max">,
  I32EnumCase<"Min", 3, "min">,
  I32EnumCase<"SqrtN", 4, "sqrtn">
]> {
  let cppNamespace = "::ember::emb";
}

def Emb_ModeAttr : EnumAttr<Emb_Dialect, Emb_ModeEnum, "mode">;

def Emb_EdgeFunctionEnum : I32Enum<"EdgeFunction", "the weight of an edge", [
  I32EnumCase<"Identity", 0, "identity">,
  I32EnumCase<"Dot", 1, "dot">,
  I32EnumCase<"SigmoidDot", 2, "sigmoid_dot">,
  I32EnumCase<"Gat", 3, "gat">
]> {
  let cppNamespace = "::ember::emb";
}

def Emb_EdgeFunctionAttr
    : EnumAttr<Emb_Dialect, Emb_EdgeFunctionEnum, "edge_function">;

def Emb_ScoreFunctionEnum
    : I32Enum<"ScoreFunction", "how plausible a triple is", [
  I32EnumCase<"TransE", 0, "transe">,
  I32EnumCase<"DistMult", 1, "distmult">,
  I32EnumCase<"ComplEx", 2, "complex">,
  I32EnumCase<"RotatE", 3, "rotate">
]> {
  let cppNamespace = "::ember::emb";
}

def Emb_ScoreFunctionAttr
    : EnumAttr<Emb_Dialect, Emb_ScoreFunctionEnum, "score_function">;

def Emb_OobEnum : I32Enum<"Oob", "what an index outside the table means", [
  I32EnumCase<"Error", 0, "error">,
  I32EnumCase<"Clamp", 1, "clamp">,
  I32EnumCase<"SkipNegative", 2, "skip_negative">
]> {
  let cppNamespace = "::ember::emb";
}

def Emb_OobAttr : EnumAttr<Emb_Dialect, Emb_OobEnum, "oob"> {
  let description = [{
    What an index outside 0..N-1 means, N being the number of rows:

    - `error`: an error at run time (the default);
    - `clamp`: the nearest row, so below 0 is row 0 and above is row N-1; with
      N = 0 there is none and it is an error;
    - `skip_negative`: an index below 0 is skipped as if it were not there, one
      too large is an error.
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // EMBER_DIALECT_EMB_IR_EMBDIALECT_TD
