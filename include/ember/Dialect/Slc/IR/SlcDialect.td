//===- SlcDialect.td - The slc dialect -----------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCDIALECT_TD
#define EMBER_DIALECT_SLC_IR_SLCDIALECT_TD

include "mlir/IR/OpBase.td"

def Slc_Dialect : Dialect {
  let name = "slc";
  let summary = "Structured lookup-compute: what is looked up, and what is computed with it";
  let cppNamespace = "::ember::slc";
}

class Slc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Slc_Dialect, mnemonic, traits>;

#endif // EMBER_DIALECT_SLC_IR_SLCDIALECT_TD
