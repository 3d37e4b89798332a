//===- ChunkUses.cpp - Read chunks where they lie -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// A coupled processor has no queue to read a row from, so a callback reads the
// row in its table. Zeros that pad the chunk do not exist there: a load that
// may reach them is masked.
//
//===----------------------------------------------------------------------===//

#include "Coupled.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;

/// The place of element `index` of the chunk.
static SmallVector<Value> getPlace(OpBuilder &builder, Location loc,
                                   const ChunkPlace &place, Value index) {
  SmallVector<Value> indices(place.indices);
  indices.back() =
      builder.createOrFold<arith::AddIOp>(loc, indices.back(), index);
  return indices;
}

static Value createZero(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// How many of `count` elements from `index` on exist: all of them (null), or a
/// value.
static Value getValidCount(OpBuilder &builder, Location loc,
                           const ChunkPlace &place, Value index,
                           int64_t count) {
  std::optional<IndexRange> range = getConstantRange(index);
  if (range && range->greatest + count <= place.length)
    return {};
  if (range && range->least == range->greatest)
    return arith::ConstantIndexOp::create(
        builder, loc, std::max<int64_t>(place.length - range->least, 0));
  Value length = arith::ConstantIndexOp::create(builder, loc, place.length);
  return arith::SubIOp::create(builder, loc, length, index);
}

Value ember::loadElement(OpBuilder &builder, Location loc,
                         const ChunkPlace &place, Value index) {
  Value valid = getValidCount(builder, loc, place, index, 1);
  if (!valid)
    return memref::LoadOp::create(builder, loc, place.memref,
                                  getPlace(builder, loc, place, index));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       valid, zero);
  Value safe = arith::SelectOp::create(builder, loc, exists, index, zero);
  Value element = memref::LoadOp::create(builder, loc, place.memref,
                                         getPlace(builder, loc, place, safe));
  return arith::SelectOp::create(builder, loc, exists, element,
                                 createZero(builder, loc, element.getType()));
}

static Value loadVector(OpBuilder &builder, vector::LoadOp load,
                        const ChunkPlace &place) {
  Location loc = load.getLoc();
  VectorType type = load.getVectorType();
  Value index = load.getIndices().front();
  Value valid =
      getValidCount(builder, loc, place, index, type.getNumElements());
  SmallVector<Value> indices = getPlace(builder, loc, place, index);
  if (!valid)
    return vector::LoadOp::create(builder, loc, type, place.memref, indices);
  auto maskType = type.clone(builder.getI1Type());
  APInt count;
  Value mask;
  if (matchPattern(valid, m_ConstantInt(&count)))
    mask = vector::ConstantMaskOp::create(
        builder, loc, maskType, ArrayRef<int64_t>{count.getSExtValue()});
  else
    mask = vector::CreateMaskOp::create(builder, loc, maskType, valid);
  return vector::MaskedLoadOp::create(builder, loc, type, place.memref, indices,
                                      mask, createZero(builder, loc, type));
}

LogicalResult ember::readChunkInPlace(Value chunk, const ChunkPlace &place) {
  for (Operation *user : llvm::make_early_inc_range(chunk.getUsers())) {
    OpBuilder builder(user);
    Value result;
    if (auto load = dyn_cast<memref::LoadOp>(user))
      result =
          loadElement(builder, load.getLoc(), place, load.getIndices().front());
    else if (auto load = dyn_cast<vector::LoadOp>(user);
             load && load.getVectorType().getRank() == 1)
      result = loadVector(builder, load, place);
    else
      return user->emitError(
          "cannot read a chunk in place with this operation; "
          "memref.load and one-dimensional vector.load can");
    user->getResult(0).replaceAllUsesWith(result);
    user->erase();
  }
  return success();
}
