//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_NPY_H
#define EMBER_RUNTIME_NPY_H

#include "ember/Runtime/Tensor.h"

#include "llvm/Support/Error.h"

namespace ember::rt {

/// Reads a .npy file (format 1 to 3, little-endian, C order). NumPy has no
/// bfloat16, so `<V2` and `<u2` data is bf16 where `expected` says bf16.
/// Refuses by name what it does not read: big-endian, Fortran order, objects.
llvm::Expected<Tensor> readNpy(llvm::StringRef path,
                               std::optional<ElementType> expected = {});

/// Writes format 1.0. bf16 is written as `<V2`, as ml_dtypes does.
llvm::Error writeNpy(llvm::StringRef path, const TensorView &tensor);

} // namespace ember::rt

#endif // EMBER_RUNTIME_NPY_H
