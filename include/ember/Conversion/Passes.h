//===- Passes.h - Conversions between Ember's dialects ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_PASSES_H
#define EMBER_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ember {

#define GEN_PASS_DECL
#include "ember/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ember/Conversion/Passes.h.inc"

} // namespace ember

#endif // EMBER_CONVERSION_PASSES_H
