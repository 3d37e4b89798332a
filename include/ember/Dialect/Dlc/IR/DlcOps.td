//===- DlcOps.td - Operations of the dlc dialect ------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCOPS_TD
#define EMBER_DIALECT_DLC_IR_DLCOPS_TD

include "ember/Dialect/Dlc/IR/DlcDialect.td"

#endif // EMBER_DIALECT_DLC_IR_DLCOPS_TD
