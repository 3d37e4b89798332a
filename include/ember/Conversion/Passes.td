//===- Passes.td - Conversions between Ember's dialects -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_PASSES_TD
#define EMBER_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // EMBER_CONVERSION_PASSES_TD
