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
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Dlc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dlc_Dialect, mnemonic, traits>;

#endif // EMBER_DIALECT_DLC_IR_DLCDIALECT_TD
