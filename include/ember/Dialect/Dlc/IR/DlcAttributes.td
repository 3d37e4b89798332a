//===- DlcAttributes.td - Attributes of the dlc dialect ----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCATTRIBUTES_TD
#define EMBER_DIALECT_DLC_IR_DLCATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "ember/Dialect/Dlc/IR/DlcDialect.td"

class Dlc_Attr<string name, string attrMnemonic>
    : AttrDef<Dlc_Dialect, name> {
  let mnemonic = attrMnemonic;
}

/// The numbers are part of the run-time ABI: a site table holds them.
def Dlc_FaultKind : I32EnumAttr<"FaultKind", "What is wrong with the data", [
  I32EnumAttrCase<"IndexOutOfRange", 0, "index_out_of_range">,
  I32EnumAttrCase<"OffsetNotZero", 1, "offset_not_zero">,
  I32EnumAttrCase<"OffsetDecreasing", 2, "offset_decreasing">,
  I32EnumAttrCase<"OffsetBeyondIndices", 3, "offset_beyond_indices">,
  I32EnumAttrCase<"OffsetsEmpty", 4, "offsets_empty">,
  I32EnumAttrCase<"PaddingOutOfRange", 5, "padding_out_of_range">,
  I32EnumAttrCase<"LoopStep", 6, "loop_step">,
  I32EnumAttrCase<"ShapeMismatch", 7, "shape_mismatch">,
  I32EnumAttrCase<"SubscriptOutOfRange", 8, "subscript_out_of_range">,
  I32EnumAttrCase<"NegativeSize", 9, "negative_size">,
  I32EnumAttrCase<"OffsetsEndEarly", 10, "offsets_end_early">,
  I32EnumAttrCase<"SegmentDecreasing", 11, "segment_decreasing">,
  I32EnumAttrCase<"SegmentNegative", 12, "segment_negative">,
  I32EnumAttrCase<"SegmentBeyondCount", 13, "segment_beyond_count">,
  I32EnumAttrCase<"SegmentCountNegative", 14, "segment_count_negative">
]> {
  let cppNamespace = "::ember::dlc";
  let genSpecializedAttr = 0;
}

def Dlc_FaultKindAttr : EnumAttr<Dlc_Dialect, Dlc_FaultKind, "fault_kind">;

/// The numbers are the queues' places in the run time's `ember_context`.
def Dlc_QueueKind : I32EnumAttr<"QueueKind", "A queue from the access unit to the core", [
  I32EnumAttrCase<"Data", 0, "data">,
  I32EnumAttrCase<"Scalar", 1, "scalar">,
  I32EnumAttrCase<"Token", 2, "token">
]> {
  let cppNamespace = "::ember::dlc";
  let genSpecializedAttr = 0;
}

def Dlc_QueueKindAttr : EnumAttr<Dlc_Dialect, Dlc_QueueKind, "queue_kind">;

def Dlc_LoopMode : I32EnumAttr<"LoopMode", "How the core knows a loop's trip count", [
  I32EnumAttrCase<"Counted", 0, "counted">,
  I32EnumAttrCase<"Until", 1, "until">,
  I32EnumAttrCase<"Announced", 2, "announced">
]> {
  let cppNamespace = "::ember::dlc";
  let genSpecializedAttr = 0;
}

def Dlc_LoopModeAttr : EnumAttr<Dlc_Dialect, Dlc_LoopMode, "loop_mode">;

def Dlc_IfMode : I32EnumAttr<"IfMode", "How the core learns of a condition", [
  I32EnumAttrCase<"Filter", 0, "filter">,
  I32EnumAttrCase<"Flag", 1, "flag">
]> {
  let cppNamespace = "::ember::dlc";
  let genSpecializedAttr = 0;
}

def Dlc_IfModeAttr : EnumAttr<Dlc_Dialect, Dlc_IfMode, "if_mode">;

def Dlc_QueuesAttr : Dlc_Attr<"Queues", "queues"> {
  let summary = "Capacity of each queue in bytes, a power of two";
  let description = [{
    ```mlir
    #dlc.queues<data = 16384, scalar = 2048, token = 2048>
    ```
  }];
  let parameters = (ins "int64_t":$data, "int64_t":$scalar, "int64_t":$token);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the attribute on an execute function made by `dlc-split`.
    static constexpr ::llvm::StringLiteral attributeName = "dlc.queues";

    int64_t getCapacity(QueueKind queue) const;
  }];
}

def Dlc_SiteAttr : Dlc_Attr<"Site", "site"> {
  let summary = "What the number of a fault or an access-unit operation stands for";
  let description = [{
    An entry of the attribute `dlc.sites`, a table indexed by the number a
    report of bad data carries. `function` is the function of the user's that
    the operation comes from, `argument` the name the user knows the data by, or
    of `loop_step` the label of the loop.

    ```mlir
    #dlc.site<kind = index_out_of_range, function = "bag", argument = "indices", location = loc("model.py":12:3)>
    ```
  }];
  let parameters = (ins
    EnumParameter<Dlc_FaultKind>:$kind,
    StringRefParameter<>:$function,
    StringRefParameter<>:$argument,
    "::mlir::LocationAttr":$location);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// The name of the attribute that holds a table of sites.
    static constexpr ::llvm::StringLiteral tableName = "dlc.sites";
  }];
}

def Dlc_TargetAttr : Dlc_Attr<"Target", "target"> {
  let summary = "The machine a module is compiled for";
  let description = [{
    What passes may know of the machine. `ember-attach-target` sets it once, as
    the attribute `dlc.target` of the module, from the machine's JSON file;
    passes read only this.

    ```mlir
    module attributes {dlc.target = #dlc.target<machine = "dae-hbm2",
        vector_bits = 512, access_unit = true, lanes = 8, layers = 4,
        storage_bytes = 2048, data_queue_bytes = 16384,
        scalar_queue_bytes = 2048, token_queue_bytes = 2048,
        sibling_loops = true, predicate = true, store = true,
        bounds_fault = true, triple = "x86_64-unknown-linux-gnu",
        cpu = "x86-64-v4", features = "-prefer-256-bit">} {
    }
    ```

    `cores` is the number of cores, 1 if it is left out, each with an access
    unit if there are any. `vector_bits` is the width of one vector register. `lanes`, `layers` and
    `storage_bytes` (per lane) describe the access unit; its features are
    `sibling_loops` (several loops in one loop body), `predicate` (`dlc.if`),
    `store` and `bounds_fault` (index checks). Queue sizes are in bytes, powers of two.
    `triple`, `cpu` and `features` are LLVM's names for the core.
  }];
  let parameters = (ins
    StringRefParameter<>:$machine,
    DefaultValuedParameter<"int64_t", "1">:$cores,
    "int64_t":$vector_bits,
    "bool":$access_unit,
    "int64_t":$lanes,
    "int64_t":$layers,
    "int64_t":$storage_bytes,
    "int64_t":$data_queue_bytes,
    "int64_t":$scalar_queue_bytes,
    "int64_t":$token_queue_bytes,
    "bool":$sibling_loops,
    "bool":$predicate,
    "bool":$store,
    "bool":$bounds_fault,
    StringRefParameter<>:$triple,
    StringRefParameter<>:$cpu,
    StringRefParameter<>:$features);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the module attribute that holds a target.
    static constexpr ::llvm::StringLiteral attributeName = "dlc.target";

    /// The target of the module that `op` is in or is, or null.
    static TargetAttr lookup(::mlir::Operation *op);
  }];
}

#endif // EMBER_DIALECT_DLC_IR_DLCATTRIBUTES_TD
