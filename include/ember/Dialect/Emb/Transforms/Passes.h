//===- Passes.h - Passes on the emb dialect ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_EMB_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace ember::emb {

#define GEN_PASS_DECL
#include "ember/Dialect/Emb/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ember/Dialect/Emb/Transforms/Passes.h.inc"

} // namespace ember::emb

#endif // EMBER_DIALECT_EMB_TRANSFORMS_PASSES_H
