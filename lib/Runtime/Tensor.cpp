//===- Tensor.cpp - Dense arrays at Ember's boundary ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Tensor.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>

using namespace ember::rt;

namespace {

struct TypeInfo {
  ElementType type;
  const char *name;
  unsigned bytes;
};

constexpr TypeInfo kTypes[] = {
    {ElementType::I1, "i1", 1},   {ElementType::I8, "i8", 1},
    {ElementType::U8, "u8", 1},   {ElementType::I16, "i16", 2},
    {ElementType::I32, "i32", 4}, {ElementType::I64, "i64", 8},
    {ElementType::F16, "f16", 2}, {ElementType::BF16, "bf16", 2},
    {ElementType::F32, "f32", 4}, {ElementType::F64, "f64", 8},
};

const TypeInfo &info(ElementType type) {
  return kTypes[static_cast<size_t>(type)];
}

/// Copies the sub-array of dimensions `dim`.. to `out` and returns the first
/// byte behind it.
char *copyRowMajor(const TensorView &view, size_t dim, const char *in,
                   char *out) {
  unsigned bytes = byteWidth(view.type);
  if (dim == view.shape.size()) {
    std::memcpy(out, in, bytes);
    return out + bytes;
  }
  if (dim + 1 == view.shape.size() && view.strides[dim] == 1) {
    std::memcpy(out, in, view.shape[dim] * bytes);
    return out + view.shape[dim] * bytes;
  }
  for (int64_t i = 0; i < view.shape[dim]; ++i)
    out = copyRowMajor(view, dim + 1, in + i * view.strides[dim] * bytes, out);
  return out;
}

} // namespace

unsigned ember::rt::byteWidth(ElementType type) { return info(type).bytes; }

llvm::StringRef ember::rt::name(ElementType type) { return info(type).name; }

std::optional<ElementType> ember::rt::parseElementType(llvm::StringRef name) {
  for (const TypeInfo &candidate : kTypes)
    if (name == candidate.name)
      return candidate.type;
  return std::nullopt;
}

int64_t TensorView::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

bool TensorView::isContiguous() const {
  if (numElements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

llvm::SmallVector<int64_t, 4>
ember::rt::rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::optional<uint64_t> ember::rt::spannedBytes(const TensorView &view) {
  bool empty = false;
  int64_t last = 0;
  for (auto [extent, stride] : llvm::zip(view.shape, view.strides)) {
    if (extent < 0 || stride < 0)
      return std::nullopt;
    empty |= extent == 0;
    int64_t reach;
    if (__builtin_mul_overflow(extent - 1, stride, &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  if (empty)
    return 0;
  int64_t bytes;
  if (__builtin_add_overflow(last, int64_t(1), &last) ||
      __builtin_mul_overflow(last, int64_t(byteWidth(view.type)), &bytes))
    return std::nullopt;
  return bytes;
}

TensorView Tensor::view() const {
  return {type, shape, rowMajorStrides(shape), data};
}

Tensor ember::rt::makeContiguous(const TensorView &view) {
  Tensor copy = allocate(view.type, view.shape);
  if (view.numElements() != 0)
    copyRowMajor(view, 0, static_cast<const char *>(view.data),
                 static_cast<char *>(copy.data));
  return copy;
}

Tensor ember::rt::allocate(ElementType type, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  size_t bytes = tensor.view().numElements() * byteWidth(type);
  // At least one line, so that an empty array has an address of its own too.
  size_t rounded = (bytes / 64 + 1) * 64;
  tensor.data = std::aligned_alloc(64, rounded);
  tensor.storage = std::shared_ptr<void>(tensor.data, std::free);
  return tensor;
}

std::string ember::rt::describe(const TensorView &view) {
  std::string text = name(view.type).str() + "[";
  for (size_t i = 0; i < view.shape.size(); ++i)
    text += (i ? "x" : "") + std::to_string(view.shape[i]);
  return text + "]";
}
