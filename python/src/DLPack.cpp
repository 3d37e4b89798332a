//===- DLPack.cpp - The array exchange format of Python -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"

#include <cstring>
#include <memory>
#include <optional>

namespace py = pybind11;
using ember::rt::ElementType;

namespace ember::python {

static constexpr const char *kName = "dltensor";
static constexpr int32_t kHost = 1;

namespace {
/// A row of the table between DLPack's element types and Ember's.
struct TypePair {
  uint8_t code, bits;
  ElementType type;
};
} // namespace

static constexpr TypePair kTypes[] = {
    {6, 8, ElementType::I1},   {0, 8, ElementType::I8},
    {1, 8, ElementType::U8},   {0, 16, ElementType::I16},
    {0, 32, ElementType::I32}, {0, 64, ElementType::I64},
    {2, 16, ElementType::F16}, {4, 16, ElementType::BF16},
    {2, 32, ElementType::F32}, {2, 64, ElementType::F64},
};

static std::optional<ElementType> elementType(DLDataType type) {
  for (const TypePair &pair : kTypes)
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1)
      return pair.type;
  return std::nullopt;
}

static DLDataType dlType(ElementType type) {
  for (const TypePair &pair : kTypes)
    if (pair.type == type)
      return {pair.code, pair.bits, 1};
  throw py::type_error("element type without a DLPack name");
}

rt::TensorView borrow(const py::capsule &capsule) {
  if (!capsule.name() || std::strcmp(capsule.name(), kName) != 0)
    throw py::type_error("expected an unused DLPack capsule");
  const DLTensor &from =
      static_cast<DLManagedTensor *>(capsule.get_pointer())->dl_tensor;
  if (from.device.device_type != kHost)
    throw py::type_error("expected an array in host memory");
  std::optional<ElementType> type = elementType(from.dtype);
  if (!type)
    throw py::type_error("element type not supported");
  rt::TensorView view;
  view.type = *type;
  view.shape.assign(from.shape, from.shape + from.ndim);
  if (from.strides)
    view.strides.assign(from.strides, from.strides + from.ndim);
  else
    view.strides = rt::rowMajorStrides(view.shape);
  view.data = static_cast<const char *>(from.data) + from.byte_offset;
  return view;
}

namespace {
/// What a shared capsule keeps alive.
struct Shared {
  DLManagedTensor managed;
  rt::Tensor tensor;
  llvm::SmallVector<int64_t, 4> strides;
};
} // namespace

py::capsule share(const rt::Tensor &tensor) {
  auto shared = std::make_unique<Shared>();
  shared->tensor = tensor;
  shared->strides = rt::rowMajorStrides(tensor.shape);
  DLTensor &to = shared->managed.dl_tensor;
  to.data = tensor.data;
  to.device = {kHost, 0};
  to.ndim = static_cast<int32_t>(tensor.shape.size());
  to.dtype = dlType(tensor.type);
  to.shape = shared->tensor.shape.data();
  to.strides = shared->strides.data();
  to.byte_offset = 0;
  shared->managed.manager_ctx = shared.get();
  shared->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<Shared *>(self->manager_ctx);
  };
  // A consumer renames the capsule and calls the deleter itself; one that
  // nobody consumed still has its name when it dies.
  py::capsule capsule(&shared->managed, kName, [](PyObject *object) {
    if (!PyCapsule_IsValid(object, kName))
      return;
    auto *managed =
        static_cast<DLManagedTensor *>(PyCapsule_GetPointer(object, kName));
    managed->deleter(managed);
  });
  shared.release();
  return capsule;
}

} // namespace ember::python
