//===- Passes.h - Passes on the dlc dialect ---------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_TRANSFORMS_PASSES_H
#define EMBER_DIALECT_DLC_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <string>

namespace ember::dlc {

#define GEN_PASS_DECL
#include "ember/Dialect/Dlc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ember/Dialect/Dlc/Transforms/Passes.h.inc"

} // namespace ember::dlc

#endif // EMBER_DIALECT_DLC_TRANSFORMS_PASSES_H
