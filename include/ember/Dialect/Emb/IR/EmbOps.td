//===- EmbOps.td - Operations of the emb dialect ------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMBOPS_TD
#define EMBER_DIALECT_EMB_IR_EMBOPS_TD

include "ember/Dialect/Emb/IR/EmbDialect.td"

#endif // EMBER_DIALECT_EMB_IR_EMBOPS_TD
