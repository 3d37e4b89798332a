//===- HostChecks.cpp - What is checked before a kernel is launched -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace ember;
using namespace ember::emb;
using arith::CmpIPredicate;

void HostChecks::faultIf(Value bad, dlc::FaultKind kind, StringRef argument,
                         Value position, Value value, Value limit) {
  b.when(bad, [&] {
    dlc::FaultOp::create(b, kind, argument, position, value, limit,
                         /*site=*/nullptr);
  });
}

void HostChecks::require(Value good, dlc::FaultKind kind, StringRef argument,
                         Value position, Value value, Value limit) {
  if (matchPattern(good, m_One()))
    return;
  faultIf(b.negate(good), kind, argument, position, value, limit);
  flag = b.both(flag, good);
}

void HostChecks::checkSize(StringRef name, Value memref, int64_t dimension,
                           Value expected) {
  Value size = b.dim(memref, dimension);
  require(b.cmp(CmpIPredicate::eq, size, expected),
          dlc::FaultKind::ShapeMismatch, getUserName(name, memref),
          b.constant(dimension), size, expected);
}

Value HostChecks::checkBlocks(StringRef name, Value memref, int64_t block) {
  Value rows = b.dim(memref, 0), size = b.constant(block);
  Value blocks = b.createOrFold<arith::DivUIOp>(rows, size);
  Value whole = b.mul(blocks, size);
  require(b.cmp(CmpIPredicate::eq, rows, whole), dlc::FaultKind::ShapeMismatch,
          getUserName(name, memref), b.constant(0), rows, whole);
  return blocks;
}

Value HostChecks::checkPadding(int64_t padding, Value rows) {
  Value value = b.constant(padding);
  Value row = padding < 0 ? b.add(value, rows) : value;
  Value good = padding < 0 ? b.cmp(CmpIPredicate::sge, row, b.constant(0))
                           : b.cmp(CmpIPredicate::slt, row, rows);
  require(good, dlc::FaultKind::PaddingOutOfRange, "padding_idx", b.constant(0),
          value, rows);
  return row;
}

void HostChecks::checkNotEmpty(const BoundsOperand &offsets, Value count,
                               Value needed) {
  Value zero = b.constant(0);
  Value missing = b.both(b.cmp(CmpIPredicate::eq, count, zero), needed);
  require(b.negate(missing), dlc::FaultKind::OffsetsEmpty,
          getUserName(offsets.name, offsets.bounds->get()), zero, count,
          b.constant(1));
}

void HostChecks::checkOffsets(const BoundsOperand &offsets, Value bounds,
                              Value count, Value limit) {
  Ascending rule;
  rule.argument = getUserName(offsets.name, offsets.bounds->get());
  rule.decreasingKind = dlc::FaultKind::OffsetDecreasing;
  rule.badFirst = CmpIPredicate::ne;
  rule.firstKind = dlc::FaultKind::OffsetNotZero;
  rule.badLast = CmpIPredicate::sgt;
  rule.lastKind = dlc::FaultKind::OffsetBeyondIndices;
  rule.limit = limit;
  checkAscending(rule, bounds, count);
}

void HostChecks::checkRowPointers(const BoundsOperand &pointers, Value count,
                                  Value limit) {
  Value rowptr = pointers.bounds->get();
  checkNotEmpty(pointers, count, b.constantFlag(true));
  checkOffsets(pointers, rowptr, count, limit);
  // Only an operand that is right so far has a last element that tells.
  Value last = b.sub(count, b.constant(1));
  Value end = b.choose(
      flag, [&] { return b.loadIndex(rowptr, last); }, [&] { return limit; });
  require(b.cmp(CmpIPredicate::eq, end, limit), dlc::FaultKind::OffsetsEndEarly,
          getUserName(pointers.name, rowptr), last, end, limit);
}

void HostChecks::checkSegmentCount(StringRef name, Value operand,
                                   Value segments) {
  Value zero = b.constant(0);
  require(b.cmp(CmpIPredicate::sge, segments, zero),
          dlc::FaultKind::SegmentCountNegative, getUserName(name, operand),
          zero, segments, zero);
}

void HostChecks::checkSegmentIds(const BoundsOperand &ids, Value count,
                                 Value segments) {
  Ascending rule;
  rule.argument = getUserName(ids.name, ids.bounds->get());
  rule.decreasingKind = dlc::FaultKind::SegmentDecreasing;
  rule.badFirst = CmpIPredicate::slt;
  rule.firstKind = dlc::FaultKind::SegmentNegative;
  rule.badLast = CmpIPredicate::sge;
  rule.lastKind = dlc::FaultKind::SegmentBeyondCount;
  rule.limit = segments;
  checkAscending(rule, ids.bounds->get(), count);
}

void HostChecks::checkAscending(const Ascending &rule, Value values,
                                Value count) {
  Value zero = b.constant(0), one = b.constant(1);
  auto isBadFirst = [&](Value value) {
    return b.cmp(rule.badFirst, value, zero);
  };
  auto isBeyond = [&](Value value) {
    return b.cmp(rule.badLast, value, rule.limit);
  };
  auto isBelow = [&](Value value, Value previous) {
    return b.cmp(CmpIPredicate::slt, value, previous);
  };

  // The common path is one reduction, which vectorises. If the values never
  // decrease, the last one is the largest.
  auto findAny = [&]() -> Value {
    Value bad = isBadFirst(b.loadIndex(values, zero));
    if (rule.limit)
      bad = b.either(bad, isBeyond(b.loadIndex(values, b.sub(count, one))));
    return b.loop(one, count, bad,
                  [&](Value position, ValueRange found) -> SmallVector<Value> {
                    Value previous = b.loadIndex(values, b.sub(position, one));
                    Value value = b.loadIndex(values, position);
                    return {b.either(found[0], isBelow(value, previous))};
                  })[0];
  };
  Value bad = b.choose(b.cmp(CmpIPredicate::sgt, count, zero), findAny,
                       [&] { return b.constantFlag(false); });

  // Only then look for the first bad position: as it is the first fault that
  // counts, the loop need not stop there.
  b.when(bad, [&] {
    auto reportBeyond = [&](Value position, Value value) {
      if (rule.limit)
        faultIf(isBeyond(value), rule.lastKind, rule.argument, position, value,
                rule.limit);
    };
    Value first = b.loadIndex(values, zero);
    faultIf(isBadFirst(first), rule.firstKind, rule.argument, zero, first,
            zero);
    reportBeyond(zero, first);
    b.loop(one, count, [&](Value position) {
      Value previous = b.loadIndex(values, b.sub(position, one));
      Value value = b.loadIndex(values, position);
      faultIf(isBelow(value, previous), rule.decreasingKind, rule.argument,
              position, value, previous);
      reportBeyond(position, value);
    });
  });
  flag = b.both(flag, b.negate(bad));
}

void HostChecks::checkIndices(const IndexOperand &index, Value indices,
                              Value count, Value rows) {
  StringRef argument = getUserName(index.name, index.indices->get());
  Value zero = b.constant(0);
  b.loop(zero, count, [&](Value position) {
    Value row = b.loadIndex(indices, position);
    Value tooLarge = b.cmp(CmpIPredicate::sge, row, rows);
    Value bad;
    switch (index.oob) {
    case Oob::Error:
      bad = b.either(b.cmp(CmpIPredicate::slt, row, zero), tooLarge);
      break;
    case Oob::Clamp:
      bad = b.cmp(CmpIPredicate::eq, rows, zero);
      break;
    case Oob::SkipNegative:
      // A negative row is below any number of rows.
      bad = tooLarge;
      break;
    }
    faultIf(bad, dlc::FaultKind::IndexOutOfRange, argument, position, row,
            rows);
  });
}

StringRef ember::emb::getUserName(StringRef name, Value operand) {
  while (auto view = operand.getDefiningOp<ViewLikeOpInterface>())
    operand = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(operand);
  if (!argument)
    return name;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return name;
  auto userName = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        "ember.name");
  return userName ? userName.getValue() : name;
}
