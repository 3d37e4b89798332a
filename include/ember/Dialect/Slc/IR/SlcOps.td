//===- SlcOps.td - Operations of the slc dialect ------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCOPS_TD
#define EMBER_DIALECT_SLC_IR_SLCOPS_TD

include "ember/Dialect/Slc/IR/SlcDialect.td"

#endif // EMBER_DIALECT_SLC_IR_SLCOPS_TD
