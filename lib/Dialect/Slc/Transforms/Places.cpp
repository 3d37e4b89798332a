//===- Places.cpp - Places of memory that code of the core uses -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Place
//===----------------------------------------------------------------------===//

bool Place::operator==(const Place &other) const {
  return buffer == other.buffer && outer == other.outer &&
         column == other.column && type == other.type && valid == other.valid;
}

bool Place::isDisjoint(const Place &other) const {
  // Buffers of a kernel do not overlap if one of them is written.
  if (buffer != other.buffer)
    return true;
  if (outer.size() != other.outer.size())
    return false;
  for (auto [a, b] : llvm::zip(outer, other.outer))
    if (isa<Attribute>(a) && isa<Attribute>(b) && a != b)
      return true;
  return outer == other.outer && (column + valid <= other.column ||
                                  other.column + other.valid <= column);
}

SmallVector<Value> Place::getIndices(OpBuilder &builder, Location loc) const {
  SmallVector<Value> indices =
      getValueOrCreateConstantIndexOp(builder, loc, outer);
  if (cast<MemRefType>(buffer.getType()).getRank() > int64_t(outer.size()))
    indices.push_back(arith::ConstantIndexOp::create(builder, loc, column));
  return indices;
}

/// Null if all lanes exist.
Value Place::getMask(OpBuilder &builder, Location loc) const {
  auto vector = cast<VectorType>(type);
  if (valid == vector.getNumElements())
    return {};
  return vector::ConstantMaskOp::create(builder, loc,
                                        vector.clone(builder.getI1Type()),
                                        ArrayRef<int64_t>{valid});
}

Value Place::load(OpBuilder &builder, Location loc) const {
  SmallVector<Value> indices = getIndices(builder, loc);
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return memref::LoadOp::create(builder, loc, buffer, indices);
  Value mask = getMask(builder, loc);
  if (!mask)
    return vector::LoadOp::create(builder, loc, vector, buffer, indices);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  return vector::MaskedLoadOp::create(builder, loc, vector, buffer, indices,
                                      mask, zero);
}

void Place::store(OpBuilder &builder, Location loc, Value value) const {
  SmallVector<Value> indices = getIndices(builder, loc);
  if (!isa<VectorType>(type)) {
    memref::StoreOp::create(builder, loc, value, buffer, indices);
    return;
  }
  if (Value mask = getMask(builder, loc))
    vector::MaskedStoreOp::create(builder, loc, buffer, indices, mask, value);
  else
    vector::StoreOp::create(builder, loc, value, buffer, indices);
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

/// One name for an index: a constant, or the result under which code after the
/// callback knows a value of it.
static OpFoldResult getIndexName(Value index) {
  Attribute constant;
  if (matchPattern(index, m_Constant(&constant)))
    return constant;
  if (auto callback = dyn_cast_if_present<CallbackOp>(
          index.getParentBlock()->getParentOp())) {
    Operation *yield = callback.getBody().front().getTerminator();
    for (auto [result, value] :
         llvm::zip(callback.getResults(), yield->getOperands()))
      if (value == index)
        return result;
  }
  return index;
}

/// The lanes that `mask` lets through, which are the first ones.
static std::optional<int64_t> getValidLanes(Value mask) {
  auto constant = mask.getDefiningOp<vector::ConstantMaskOp>();
  if (!constant || constant.getMaskDimSizes().size() != 1)
    return std::nullopt;
  return constant.getMaskDimSizes().front();
}

static std::optional<Place> getPlace(Value buffer, ValueRange indices,
                                     Type type, Value mask) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (argument ? !isa<KernelOp>(argument.getOwner()->getParentOp())
               : !buffer.getDefiningOp<LocalOp>())
    return std::nullopt;
  Place place;
  place.buffer = buffer;
  place.type = type;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return std::nullopt;
    place.valid = vector.getNumElements();
  }
  if (mask) {
    std::optional<int64_t> lanes = getValidLanes(mask);
    if (!lanes)
      return std::nullopt;
    place.valid = *lanes;
  }
  if (indices.empty())
    return place;
  APInt column;
  if (matchPattern(indices.back(), m_ConstantInt(&column))) {
    place.column = column.getSExtValue();
    indices = indices.drop_back();
  }
  for (Value index : indices)
    place.outer.push_back(getIndexName(index));
  return place;
}

std::optional<Access> Access::get(Operation *op) {
  auto make = [](Value buffer, ValueRange indices, Type type, Value mask,
                 Value stored) -> std::optional<Access> {
    std::optional<Place> place = getPlace(buffer, indices, type, mask);
    if (!place)
      return std::nullopt;
    return Access{*place, stored};
  };
  using Result = std::optional<Access>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](memref::LoadOp load) {
        return make(load.getMemRef(), load.getIndices(), load.getType(), {},
                    {});
      })
      .Case([&](memref::StoreOp store) {
        Value value = store.getValueToStore();
        return make(store.getMemRef(), store.getIndices(), value.getType(), {},
                    value);
      })
      .Case([&](vector::LoadOp load) {
        return make(load.getBase(), load.getIndices(), load.getVectorType(), {},
                    {});
      })
      .Case([&](vector::StoreOp store) {
        Value value = store.getValueToStore();
        return make(store.getBase(), store.getIndices(), value.getType(), {},
                    value);
      })
      .Case([&](vector::MaskedLoadOp load) -> Result {
        // Other lanes are not looked at, so any value may stand for them.
        return make(load.getBase(), load.getIndices(), load.getVectorType(),
                    load.getMask(), {});
      })
      .Case([&](vector::MaskedStoreOp store) {
        Value value = store.getValueToStore();
        return make(store.getBase(), store.getIndices(), value.getType(),
                    store.getMask(), value);
      })
      .Default([](Operation *) { return std::nullopt; });
}
