//===- DlcElements.cpp - What a queue can carry ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/IR/Slc.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// Bytes of one scalar in memory, 0 if it has no whole number of them.
static int64_t getScalarBytes(Type type) {
  if (type.isIndex())
    return 8;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits % 8 == 0 ? bits / 8 : 0;
}

static bool isSendableScalar(Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

Type ember::dlc::getTakenType(Type type) {
  if (isSendableScalar(type))
    return type;
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = vector.getElementType();
    bool sendable = vector.getRank() == 1 && !vector.isScalable() &&
                    isSendableScalar(element) && getScalarBytes(element);
    return sendable ? type : Type();
  }
  if (auto chunk = dyn_cast<slc::ChunkType>(type)) {
    Type element = chunk.getElementType();
    return isSendableScalar(element) && getScalarBytes(element)
               ? chunk.getMemRefType()
               : Type();
  }
  return {};
}

int64_t ember::dlc::getElementBytes(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return llvm::alignTo(
        shaped.getNumElements() * getScalarBytes(shaped.getElementType()), 8);
  return 8;
}
