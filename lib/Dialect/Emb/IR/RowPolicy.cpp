//===- RowPolicy.cpp - From an index to the row it names ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RowPolicy.h"

using namespace mlir;
using namespace ember::emb;
using arith::CmpIPredicate;

RowPolicy::RowPolicy(LoopBuilder &builder, Oob oob, Value rows, Value padding)
    : b(builder), oob(oob), padding(padding) {
  if (oob != Oob::Error)
    zero = b.constant(0);
  if (oob == Oob::Clamp)
    lastRow = b.sub(rows, b.constant(1));
}

RowPolicy::Row RowPolicy::apply(Value index) const {
  Row row{index, Value()};
  // Without rows the last one is -1: clamping then gives row 0, which is out of
  // range and found so when it is read.
  if (oob == Oob::Clamp)
    row.number = b.max(b.min(index, lastRow), zero);
  if (padding)
    row.keep = b.cmp(CmpIPredicate::ne, row.number, padding);
  if (oob == Oob::SkipNegative) {
    Value notNegative = b.cmp(CmpIPredicate::sge, index, zero);
    row.keep = row.keep ? b.both(row.keep, notNegative) : notNegative;
  }
  return row;
}
