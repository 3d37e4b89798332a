//===- RowLoop.cpp - Loops over the elements of rows ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember::slc;

std::optional<RowLoop> ember::slc::matchRowLoop(ForOp loop) {
  APInt lower, upper;
  if (!matchPattern(loop.getLower(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpper(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_One()) || !lower.slt(upper))
    return std::nullopt;
  RowLoop row{loop, lower.getSExtValue(), upper.getSExtValue(), {}, {}, {}};
  auto isOutside = [&](Value value) {
    return !loop.getBody().isAncestor(value.getParentRegion());
  };
  for (Operation &op : loop.getBody().front().without_terminator()) {
    if (auto callback = dyn_cast<CallbackOp>(op)) {
      row.callbacks.push_back(callback);
      continue;
    }
    auto load = dyn_cast<MemStreamOp>(op);
    if (!load || isa<VectorType>(load.getStream().getType().getElementType()))
      return std::nullopt;
    if (llvm::all_of(load.getIndices(), isOutside)) {
      row.invariant.push_back(load);
      continue;
    }
    if (load.getIndices().back() != loop.getCounter() ||
        !llvm::all_of(load.getIndices().drop_back(), isOutside) ||
        !liesAsVector(cast<MemRefType>(load.getMemref().getType())))
      return std::nullopt;
    row.rows.push_back(load);
  }
  if (row.rows.empty())
    return std::nullopt;
  return row;
}

void ember::slc::hoistInvariant(RowLoop &row) {
  for (MemStreamOp load : row.invariant)
    load->moveBefore(row.loop);
}

TargetShape TargetShape::lookup(Operation *op) {
  TargetShape shape;
  if (auto target = dlc::TargetAttr::lookup(op)) {
    shape.vectorBits = target.getVectorBits();
    shape.dataQueueBytes = target.getDataQueueBytes();
    shape.storageBytes = target.getStorageBytes() * target.getLanes();
  }
  return shape;
}

unsigned ember::slc::getElementBits(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

bool ember::slc::liesAsVector(MemRefType type) {
  return hasUnitInnerStride(type) &&
         getElementBits(type.getElementType()) % 8 == 0;
}
