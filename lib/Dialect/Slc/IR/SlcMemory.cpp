//===- SlcMemory.cpp - Which buffers code touches -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace ember::slc;

bool ember::slc::hasUnitInnerStride(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  return strides.empty() || strides.back() == 1;
}

Value ember::slc::getRootBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

MemoryUse ember::slc::getMemoryUse(Operation *op) {
  MemoryUse use;
  // Its effect is that the program ends.
  if (isa<cf::AssertOp>(op))
    return use;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    use.unknown = !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
                  !op->hasTrait<OpTrait::IsTerminator>();
    return use;
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    bool writes =
        isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
    if (!reads && !writes)
      continue;
    Value buffer = effect.getValue();
    if (!buffer) {
      use.unknown = true;
      continue;
    }
    (writes ? use.writes : use.reads).push_back(getRootBuffer(buffer));
  }
  return use;
}
