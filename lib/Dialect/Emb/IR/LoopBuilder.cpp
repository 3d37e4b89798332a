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
  Value value = load(memref, indices);
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

void LoopBuilder::when(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  body();
}

Value LoopBuilder::choose(Value condition, function_ref<Value()> thenBody,
                          function_ref<Value()> elseBody) {
  auto build = [](function_ref<Value()> body, LoopBuilder &builder) {
    return [body, &builder](OpBuilder &nested, Location loc) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(nested.getInsertionBlock());
      scf::YieldOp::create(builder, body());
    };
  };
  return scf::IfOp::create(*this, condition, build(thenBody, *this),
                           build(elseBody, *this))
      .getResult(0);
}

void ember::emb::markKernel(scf::ForOp loop, StringRef name) {
  MLIRContext *context = loop.getContext();
  loop->setAttr("ember.kernel", StringAttr::get(context, name));
  loop->setAttr("ember.parallel", UnitAttr::get(context));
}
