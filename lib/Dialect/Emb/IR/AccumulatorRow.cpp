//===- AccumulatorRow.cpp - Where a row of results adds up ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "AccumulatorRow.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember::emb;

AccumulatorRow::AccumulatorRow(LoopBuilder &builder, Value out, Value row,
                               int64_t columns)
    : b(builder), out(out), row(row), columns(columns) {
  Type element = cast<MemRefType>(out.getType()).getElementType();
  type = getComputeType(element);
  if (type == element) {
    buffer = out;
    prefix = {row};
  } else {
    buffer = memref::AllocaOp::create(b, MemRefType::get({columns}, type));
  }
}

FloatType AccumulatorRow::getComputeType(Type element) {
  auto type = cast<FloatType>(element);
  return type.getWidth() < 32 ? Float32Type::get(type.getContext()) : type;
}

void AccumulatorRow::fill(Value value) {
  forEachColumn([&](Value column) { b.store(value, buffer, at(column)); });
}

void AccumulatorRow::update(function_ref<Value(Value, Value)> body) {
  forEachColumn([&](Value column) {
    Value value = b.load(buffer, at(column));
    b.store(body(value, column), buffer, at(column));
  });
}

void AccumulatorRow::finish(function_ref<Value(Value)> body) {
  if (!body && buffer == out)
    return;
  auto element =
      cast<FloatType>(cast<MemRefType>(out.getType()).getElementType());
  forEachColumn([&](Value column) {
    Value value = b.load(buffer, at(column));
    if (body)
      value = body(value);
    b.store(b.castFloat(value, element), out, {row, column});
  });
}

void AccumulatorRow::forEachColumn(function_ref<void(Value)> body) {
  b.loop(b.constant(0), b.constant(columns), body);
}

SmallVector<Value> AccumulatorRow::at(Value column) const {
  SmallVector<Value> indices = prefix;
  indices.push_back(column);
  return indices;
}
