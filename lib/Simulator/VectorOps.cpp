//===- VectorOps.cpp - Count lane movement and reductions as micro-ops ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Moving whole machine registers is free; moving lanes within or between them
// is a permutation for each register made. Reductions first join registers,
// then halve one: a permutation and an operation each time.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace ember::sim {

uint32_t ProgramBuilder::merge(SmallVector<uint32_t, 16> values) {
  if (values.empty())
    return 0;
  while (values.size() > 1) {
    SmallVector<uint32_t, 16> merged;
    for (size_t i = 0; i < values.size(); i += MicroOp::kSources) {
      auto group = ArrayRef(values).slice(
          i, std::min<size_t>(MicroOp::kSources, values.size() - i));
      merged.push_back(group.size() == 1 ? group[0]
                                         : emit(OpClass::VectorPermute, group));
    }
    values = std::move(merged);
  }
  return values.front();
}

/// True if the vector only carries its first element to all-lanes splats.
static bool feedsSplatsOnly(const InsertElementInst &insert) {
  auto *lane = dyn_cast<ConstantInt>(insert.getOperand(2));
  return lane && lane->isZero() && all_of(insert.users(), [](const User *user) {
           auto *shuffle = dyn_cast<ShuffleVectorInst>(user);
           return shuffle && shuffle->isZeroEltSplat();
         });
}

void ProgramBuilder::visitInsertElement(InsertElementInst &insert) {
  auto *type = cast<FixedVectorType>(insert.getType());
  Value *element = insert.getOperand(1);
  if (feedsSplatsOnly(insert)) {
    Slots result(numParts(type), slotOf(element));
    define(&insert, std::move(result));
    return;
  }
  Slots result = slotsOf(insert.getOperand(0));
  OpClass opClass = element->getType()->isFloatingPointTy()
                        ? OpClass::VectorPermute
                        : OpClass::IntegerToVector;
  auto *lane = dyn_cast<ConstantInt>(insert.getOperand(2));
  if (lane) {
    unsigned part = std::min<uint64_t>(
        lane->getZExtValue() / lanesPerPart(type), result.size() - 1);
    result[part] = emit(opClass, {result[part], slotOf(element)});
  } else {
    for (uint32_t &part : result)
      part =
          emit(opClass, {part, slotOf(element), slotOf(insert.getOperand(2))});
  }
  define(&insert, std::move(result));
}

void ProgramBuilder::visitExtractElement(ExtractElementInst &extract) {
  auto *type = cast<FixedVectorType>(extract.getVectorOperandType());
  Slots parts = slotsOf(extract.getVectorOperand());
  bool floating = extract.getType()->isFloatingPointTy();
  OpClass opClass =
      floating ? OpClass::VectorPermute : OpClass::VectorToInteger;
  auto *lane = dyn_cast<ConstantInt>(extract.getIndexOperand());
  if (!lane) {
    SmallVector<uint32_t, 16> all(parts.begin(), parts.end());
    all.push_back(slotOf(extract.getIndexOperand()));
    define(&extract, {emit(opClass, {merge(all)})});
    return;
  }
  unsigned perPart = lanesPerPart(type);
  uint64_t index = lane->getZExtValue();
  uint32_t part = parts[std::min<uint64_t>(index / perPart, parts.size() - 1)];
  // A scalar float is the first lane of a vector register.
  bool free = floating && index % perPart == 0;
  define(&extract, {free ? part : emit(opClass, {part})});
}

void ProgramBuilder::visitShuffle(ShuffleVectorInst &shuffle) {
  auto *type = cast<FixedVectorType>(shuffle.getType());
  auto *from = cast<FixedVectorType>(shuffle.getOperand(0)->getType());
  unsigned parts = numParts(type), perPart = lanesPerPart(type);
  unsigned perFromPart = lanesPerPart(from);
  unsigned numFrom = from->getNumElements();
  ArrayRef<int> mask = shuffle.getShuffleMask();

  if (shuffle.isZeroEltSplat()) {
    // One broadcast serves every part.
    uint32_t element = slotOf(shuffle.getOperand(0));
    uint32_t splat = element ? emit(OpClass::VectorPermute, {element}) : 0;
    define(&shuffle, Slots(parts, splat));
    return;
  }

  Slots results;
  for (unsigned part = 0; part < parts; ++part) {
    ArrayRef<int> lanes =
        mask.slice(part * perPart,
                   std::min<size_t>(perPart, mask.size() - part * perPart));
    SmallVector<uint32_t, 16> sources;
    bool identity = true;
    int offset = -1;
    for (auto [position, lane] : enumerate(lanes)) {
      if (lane < 0)
        continue;
      const Value *operand = shuffle.getOperand(unsigned(lane) >= numFrom);
      unsigned index = unsigned(lane) % numFrom;
      uint32_t source = slotOf(operand, index / perFromPart);
      if (!is_contained(sources, source))
        sources.push_back(source);
      // The lane stays where it was in its register.
      identity &= index % perFromPart == position;
      if (offset < 0)
        offset = unsigned(lane) / perFromPart;
      identity &= unsigned(lane) / perFromPart == unsigned(offset);
    }
    if (sources.empty())
      results.push_back(0);
    else if (identity)
      results.push_back(sources.front());
    else if (sources.size() == 1)
      results.push_back(emit(OpClass::VectorPermute, sources));
    else
      results.push_back(merge(sources));
  }
  define(&shuffle, std::move(results));
}

void ProgramBuilder::visitReduction(IntrinsicInst &call, OpClass opClass) {
  // The vector is the last operand: fadd and fmul have a start before it.
  const Value *vector = call.getArgOperand(call.arg_size() - 1);
  auto *type = cast<FixedVectorType>(vector->getType());
  Slots parts = slotsOf(vector);
  uint32_t result = parts.front();
  for (uint32_t part : drop_begin(parts))
    result = emit(opClass, {result, part});
  for (unsigned step = 0, n = Log2_32_Ceil(lanesPerPart(type)); step < n;
       ++step) {
    uint32_t moved = emit(OpClass::VectorPermute, {result});
    result = emit(opClass, {result, moved});
  }
  if (call.arg_size() > 1)
    result = emit(opClass, {result, slotOf(call.getArgOperand(0))});
  if (call.getType()->isIntegerTy())
    result = emit(OpClass::VectorToInteger, {result});
  define(&call, {result});
}

void ProgramBuilder::visitOrderedReduction(IntrinsicInst &call,
                                           OpClass opClass) {
  const Value *vector = call.getArgOperand(1);
  auto *type = cast<FixedVectorType>(vector->getType());
  unsigned perPart = lanesPerPart(type);
  uint32_t result = slotOf(call.getArgOperand(0));
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    uint32_t element = slotOf(vector, lane / perPart);
    if (lane % perPart)
      element = emit(OpClass::VectorPermute, {element});
    result = emit(opClass, {result, element});
  }
  define(&call, {result});
}

} // namespace ember::sim
