//===- SlcFollow.cpp - What the core follows of the access side -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/IR/Slc.h"

using namespace mlir;
using namespace ember::slc;

bool ember::slc::concernsCore(Operation *op) {
  return isa<CallbackOp>(op) || op->getNumResults() != 0 ||
         op->walk([](CallbackOp) {
             return WalkResult::interrupt();
           }).wasInterrupted();
}

bool ember::slc::stores(Operation *op) {
  return op->walk([](StoreStreamOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool ForOp::hasKnownBounds() {
  return !isAccessType(getLower().getType()) &&
         !isAccessType(getUpper().getType());
}

IfOp ember::slc::findFilter(ForOp loop) {
  IfOp filter;
  for (Operation &op : loop.getBody().front()) {
    if (!isa<ForOp, IfOp, CallbackOp>(op) || !concernsCore(&op))
      continue;
    if (filter || !isa<IfOp>(op))
      return {};
    filter = cast<IfOp>(op);
  }
  if (!filter)
    return {};
  YieldOp otherwise;
  if (!filter.getElseRegion().empty()) {
    Block &block = filter.getElseRegion().front();
    for (Operation &op : block)
      if (stores(&op) ||
          (isa<ForOp, IfOp, CallbackOp>(op) && concernsCore(&op)))
        return {};
    otherwise = cast<YieldOp>(block.getTerminator());
  }
  // A failed iteration leaves each carried value as it was.
  auto next = cast<YieldOp>(loop.getBody().front().getTerminator());
  for (auto [carried, value] :
       llvm::zip(loop.getIterArgs(), next.getOperands())) {
    if (value == carried)
      continue;
    auto result = dyn_cast<OpResult>(value);
    if (!result || result.getOwner() != filter ||
        otherwise.getOperand(result.getResultNumber()) != carried)
      return {};
  }
  return filter;
}
