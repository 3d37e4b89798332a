//===- Prepare.h - What a nest needs done before it is cut ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_SCFTOSLC_PREPARE_H
#define EMBER_LIB_CONVERSION_SCFTOSLC_PREPARE_H

#include "Aliasing.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {

/// Moves out of the loops of `nest` what does not change in them: arithmetic,
/// and loads from buffers that the nest only reads, of loops that run.
void hoistInvariants(mlir::scf::ForOp nest, Aliasing &aliasing);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_SCFTOSLC_PREPARE_H
