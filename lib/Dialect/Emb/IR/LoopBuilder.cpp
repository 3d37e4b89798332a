//===- LoopBuilder.cpp - Index arithmetic and loops in few words ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LoopBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember::emb;

Value LoopBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value LoopBuilder::constantFlag(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}

Value LoopBuilder::zero(FloatType type) {
  return arith::ConstantOp::create(*this, getFloatAttr(type, 0.0));
}

Value LoopBuilder::infinity(FloatType type, bool negative) {
  APFloat value = APFloat::getInf(type.getFloatSemantics(), negative);
  return arith::ConstantOp::create(*this, getFloatAttr(type, value));
}

Value LoopBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}

Value LoopBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}

Value LoopBuilder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(a, b);
}

Value LoopBuilder::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}

Value LoopBuilder::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(a, b);
}

Value LoopBuilder::cmp(arith::CmpIPredicate predicate, Value a, Value b) {
  return createOrFold<arith::CmpIOp>(predicate, a, b);
}

Value LoopBuilder::both(Value a, Value b) {
  return createOrFold<arith::AndIOp>(a, b);
}

Value LoopBuilder::either(Value a, Value b) {
  return createOrFold<arith::OrIOp>(a, b);
}

Value LoopBuilder::negate(Value flag) {
  return createOrFold<arith::XOrIOp>(flag, constantFlag(true));
}

Value LoopBuilder::flattenLeading(Value memref, int64_t inner) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t leading = type.getRank() - inner;
  if (leading == 1)
    return memref;

  if (leading == 0) {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0; i < inner; ++i)
      groups.push_back(i == 0 ? ReassociationIndices{0, 1}
                              : ReassociationIndices{i + 1});
    return memref::ExpandShapeOp::create(*this, shape, memref, groups);
  }

  SmallVector<ReassociationIndices> groups(1);
  for (int64_t i = 0; i < leading; ++i)
    groups[0].push_back(i);
  for (int64_t i = 0; i < inner; ++i)
    groups.push_back({leading + i});
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return Value();
  return memref::CollapseShapeOp::create(*this, memref, groups);
}

Value LoopBuilder::viewAsBlocks(Value rows, Value blocks, int64_t size) {
  auto type = cast<MemRefType>(rows.getType());
  int64_t count =
      type.isDynamicDim(0) ? ShapedType::kDynamic : type.getDimSize(0) / size;
  SmallVector<int64_t> shape{count, size, type.getDimSize(1)};
  SmallVector<OpFoldResult> sizes{getAsOpFoldResult(blocks), getIndexAttr(size),
                                  getIndexAttr(type.getDimSize(1))};
  SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
  return memref::ExpandShapeOp::create(*this, shape, rows, groups, sizes);
}

Value LoopBuilder::dim(Value memref, int64_t dimension) {
  return createOrFold<memref::DimOp>(memref, dimension);
}

Value LoopBuilder::load(Value memref, ValueRange indices) {
  return memref::LoadOp::create(*this, memref, indices);
}

void LoopBuilder::store(Value value, Value memref, ValueRange indices) {
  memref::StoreOp::create(*this, value, memref, indices);
}

Value LoopBuilder::loadIndex(Value memref, ValueRange indices) {
  return castToIndex(load(memref, indices));
}

Value LoopBuilder::allocBounds(Value segments) {
  auto type = MemRefType::get({ShapedType::kDynamic}, getI64Type());
  return memref::AllocOp::create(*this, type, add(segments, constant(1)),
                                 getI64IntegerAttr(64));
}

Value LoopBuilder::castToIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(*this, getIndexType(), value);
}

Value LoopBuilder::castToI64(Value value) {
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(*this, getI64Type(), value);
  if (value.getType().isInteger(64))
    return value;
  return arith::ExtSIOp::create(*this, getI64Type(), value);
}

Value LoopBuilder::castFloat(Value value, FloatType type) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < type.getWidth())
    return arith::ExtFOp::create(*this, type, value);
  if (width > type.getWidth())
    return arith::TruncFOp::create(*this, type, value);
  return value;
}

scf::ForOp LoopBuilder::loop(Value lower, Value upper,
                             function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(*this, lower, upper, constant(1));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  return loop;
}

ValueRange
LoopBuilder::loop(Value lower, Value upper, ValueRange init,
                  function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, lower, upper, constant(1), init);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // Without carried values the loop comes with its terminator.
  if (!init.empty())
    scf::YieldOp::create(*this, next);
  return loop.getResults();
}

void LoopBuilder::when(Value condition, function_ref<void()> body,
                       function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(
      *this, condition, /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
  if (!otherwise)
    return;
  setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

ValueRange LoopBuilder::choose(Value condition,
                               function_ref<SmallVector<Value>()> thenBody,
                               function_ref<SmallVector<Value>()> elseBody) {
  auto build = [](function_ref<SmallVector<Value>()> body,
                  LoopBuilder &builder) {
    return [body, &builder](OpBuilder &nested, Location loc) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(nested.getInsertionBlock());
      scf::YieldOp::create(builder, body());
    };
  };
  return scf::IfOp::create(*this, condition, build(thenBody, *this),
                           build(elseBody, *this))
      .getResults();
}

Value LoopBuilder::choose(Value condition, function_ref<Value()> thenBody,
                          function_ref<Value()> elseBody) {
  auto several = [](function_ref<Value()> body) {
    return [body] { return SmallVector<Value>{body()}; };
  };
  return choose(condition, several(thenBody), several(elseBody))[0];
}

void ember::emb::markKernel(scf::ForOp loop, StringRef name) {
  MLIRContext *context = loop.getContext();
  loop->setAttr("ember.kernel", StringAttr::get(context, name));
  loop->setAttr("ember.parallel", UnitAttr::get(context));
}
