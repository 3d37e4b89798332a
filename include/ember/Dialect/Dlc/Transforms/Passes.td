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
      argument. A `dlc.launch @k` becomes a call of `@k_access` and one of
      `@k_execute`.
    - `@access`: for each kernel `@k_access`, which programs the access unit by
      calls of `ember_au_*` (ember/Runtime/ABI.h) and starts it.
    - `@execute`: for each kernel `@k_execute`, the execute side as it was.

    A module without kernels (a machine without access units) becomes `@host`
    alone. Reports of bad data carry numbers; the tables `dlc.sites`, on `@host`
    for `dlc.fault` and on each access function for the operations of
    its program, say what they stand for.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

#endif // EMBER_DIALECT_DLC_TRANSFORMS_PASSES_TD
