//===- SlcTypes.td - Types and attributes of the slc dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCTYPES_TD
#define EMBER_DIALECT_SLC_IR_SLCTYPES_TD

include "ember/Dialect/Slc/IR/SlcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Slc_Type<string name, string typeMnemonic>
    : TypeDef<Slc_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Slc_Stream : Slc_Type<"Stream", "stream"> {
  let summary = "One value an iteration of the loop it is defined in";
  let description = [{
    `!slc.stream<i64>`, or `!slc.stream<vector<16xf32>>` for a stream that
    delivers a machine vector each time. An access-side value.
  }];
  let parameters = (ins "mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Slc_Chunk : Slc_Type<"Chunk", "chunk"> {
  let summary = "A contiguous run of elements, sent whole";
  let description = [{
    `!slc.chunk<112xf32>`. The size counts padding. A chunk lives exactly as
    long as the callback that takes it.
  }];
  let parameters = (ins "int64_t":$size, "mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type under which a callback sees the chunk: memory of the queue.
    mlir::MemRefType getMemRefType() const;
  }];
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

class Slc_Attr<string name, string attrMnemonic>
    : AttrDef<Slc_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Slc_QueueSpaceAttr : Slc_Attr<"QueueSpace", "queue"> {
  let summary = "Memory space of a chunk while a callback reads it in its queue";
}

def Slc_LocalSpaceAttr : Slc_Attr<"LocalSpace", "local"> {
  let summary = "Memory space of a buffer private to one core";
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Slc_QueueKind : I32EnumAttr<"QueueKind",
    "How an operand of a callback reaches the core", [
      I32EnumAttrCase<"Data", 0, "data">,
      I32EnumAttrCase<"Scalar", 1, "scalar">,
      I32EnumAttrCase<"Core", 2, "core">]> {
  let cppNamespace = "::ember::slc";
  let genSpecializedAttr = 0;
}

def Slc_QueueKindAttr
    : EnumAttr<Slc_Dialect, Slc_QueueKind, "queue_kind"> {
  let summary = "The queue a callback operand is sent through";
  let description = [{
    `data`: the data queue. `scalar`: the scalar queue, so that the data queue
    holds only machine vectors and rows. `core`: not sent at all, the core
    computes it again from counters it keeps itself.
  }];
}

def Slc_AluOpcode : I32EnumAttr<"AluOpcode",
    "Integer operation of the access unit", [
      I32EnumAttrCase<"Add", 0, "add">,
      I32EnumAttrCase<"Sub", 1, "sub">,
      I32EnumAttrCase<"Mul", 2, "mul">,
      I32EnumAttrCase<"Min", 3, "min">,
      I32EnumAttrCase<"Max", 4, "max">,
      I32EnumAttrCase<"And", 5, "and">,
      I32EnumAttrCase<"Or", 6, "or">,
      I32EnumAttrCase<"Select", 7, "select">,
      I32EnumAttrCase<"Eq", 8, "eq">,
      I32EnumAttrCase<"Ne", 9, "ne">,
      I32EnumAttrCase<"Slt", 10, "slt">,
      I32EnumAttrCase<"Sle", 11, "sle">,
      I32EnumAttrCase<"Sgt", 12, "sgt">,
      I32EnumAttrCase<"Sge", 13, "sge">,
      I32EnumAttrCase<"Ult", 14, "ult">,
      I32EnumAttrCase<"Ule", 15, "ule">,
      I32EnumAttrCase<"Ugt", 16, "ugt">,
      I32EnumAttrCase<"Uge", 17, "uge">,
      I32EnumAttrCase<"IndexCast", 18, "index_cast">,
      I32EnumAttrCase<"ExtSI", 19, "extsi">,
      I32EnumAttrCase<"ExtUI", 20, "extui">,
      I32EnumAttrCase<"Trunc", 21, "trunc">]> {
  let cppNamespace = "::ember::slc";
}

#endif // EMBER_DIALECT_SLC_IR_SLCTYPES_TD
