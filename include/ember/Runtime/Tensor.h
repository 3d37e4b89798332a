//===- Tensor.h - Dense arrays at Ember's boundary --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The plain array types with which callers (ember-sim, Python) hand inputs to
// a kernel and receive its results.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_TENSOR_H
#define EMBER_RUNTIME_TENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ember::rt {

/// Element types that may cross the boundary. Not every kernel argument takes
/// every one: a kernel's signature says what it takes.
enum class ElementType { I1, I8, U8, I16, I32, I64, F16, BF16, F32, F64 };

/// Bytes of one element; a boolean takes one.
unsigned byteWidth(ElementType type);

/// The name used in messages and files: "i64", "bf16", ...
llvm::StringRef name(ElementType type);

/// The inverse of `name`.
std::optional<ElementType> parseElementType(llvm::StringRef name);

/// A borrowed array: `shape` and `strides` count elements, outermost first.
struct TensorView {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> strides;
  const void *data = nullptr;

  int64_t numElements() const;
  /// True when the elements are dense and in row-major order.
  bool isContiguous() const;
};

/// Row-major strides, in elements, of an array of this shape.
llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// A dense row-major array that shares ownership of its memory.
struct Tensor {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::shared_ptr<void> storage; // keeps `data` alive
  void *data = nullptr;

  TensorView view() const;
};

/// Bytes from the first element to the end of the last one; nothing if a
/// stride or extent is negative or the sum does not fit.
std::optional<uint64_t> spannedBytes(const TensorView &view);

/// A row-major copy of any strided array.
Tensor makeContiguous(const TensorView &view);

/// An uninitialised row-major array, 64-byte aligned.
Tensor allocate(ElementType type, llvm::ArrayRef<int64_t> shape);

/// "f32[4x64]", for messages.
std::string describe(const TensorView &view);

} // namespace ember::rt

#endif // EMBER_RUNTIME_TENSOR_H
