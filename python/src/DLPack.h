//===- DLPack.h - The array exchange format of Python -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of the DLPack specification (version 0.8, the unversioned
// form) that Ember needs, and their conversion from and to Ember's arrays.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_PYTHON_DLPACK_H
#define EMBER_PYTHON_DLPACK_H

#include "ember/Runtime/Tensor.h"

#include <pybind11/pybind11.h>

#include <cstdint>

namespace ember::python {

// Layout fixed by the specification; names as there.
struct DLDevice {
  int32_t device_type; // 1 is host memory
  int32_t device_id;
};

struct DLDataType {
  uint8_t code; // 0 int, 1 uint, 2 float, 4 bfloat, 6 bool
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; // in elements; null is dense row-major
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

/// Views the array in a capsule, which must outlive the view. Throws
/// pybind11::type_error for what Ember has no name for.
rt::TensorView borrow(const pybind11::capsule &capsule);

/// A capsule that shares ownership of the tensor's memory.
pybind11::capsule share(const rt::Tensor &tensor);

} // namespace ember::python

#endif // EMBER_PYTHON_DLPACK_H
