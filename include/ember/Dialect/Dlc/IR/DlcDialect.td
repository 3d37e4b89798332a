//===- DlcDialect.td - The dlc dialect ---------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCDIALECT_TD
#define EMBER_DIALECT_DLC_IR_DLCDIALECT_TD

include "mlir/IR/OpBase.td"

def Dlc_Dialect : Dialect {
  let name = "dlc";
  let summary = "Decoupled lookup-compute: what the access unit and the core each execute";
  let cppNamespace = "::ember::dlc";
  let dependentDialects = ["::ember::slc::SlcDialect"];
  let description = [{
    Of its own the dialect has these attributes on others' operations:

    - `dlc.cores` of a call: it happens on that many cores at once, with the
      number of the core, from 0 on, as the first argument (after the context,
      once `dlc-split` has added it), and ends when all have ended.
    - `dlc.user` of a function that the compiler made: the user's function that
      it is a part of, for messages.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    static constexpr ::llvm::StringLiteral coresAttr = "dlc.cores";
    static constexpr ::llvm::StringLiteral userNameAttr = "dlc.user";
    /// The most cores that a machine can have.
    static constexpr int64_t maxCores = 64;
  }];
}

class Dlc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dlc_Dialect, mnemonic, traits>;

#endif // EMBER_DIALECT_DLC_IR_DLCDIALECT_TD
