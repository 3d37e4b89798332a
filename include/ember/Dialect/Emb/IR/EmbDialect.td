//===- EmbDialect.td - The emb dialect -----------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMBDIALECT_TD
#define EMBER_DIALECT_EMB_IR_EMBDIALECT_TD

include "mlir/IR/OpBase.td"

def Emb_Dialect : Dialect {
  let name = "emb";
  let summary = "Embedding operations: what is computed";
  let cppNamespace = "::ember::emb";
}

class Emb_Op<string mnemonic, list<Trait> traits = []>
    : Op<Emb_Dialect, mnemonic, traits>;

#endif // EMBER_DIALECT_EMB_IR_EMBDIALECT_TD
