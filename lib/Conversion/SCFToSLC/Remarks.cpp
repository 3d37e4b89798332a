//===- Remarks.cpp - What the decoupling says of itself -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include "Decoupling.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;

remark::RemarkOpts ember::getRemarkOptions(StringRef name, scf::ForOp nest) {
  return remark::RemarkOpts::name(name)
      .category("decouple")
      .function(nest->getParentOfType<func::FuncOp>().getName());
}

std::string ember::describe(Operation *op) {
  std::string text = ("'" + op->getName().getStringRef() + "'").str();
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += (" at " + place.getFilename().getValue() + ":" +
             Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                .str();
  return text;
}

/// The value that keeps the access unit from computing `value`: a result of an
/// operation it does not have, a load that stays, or what a loop carries.
static Value findObstacle(Value value, const Decoupling &sides) {
  Operation *op = value.getDefiningOp();
  if (!op || !getAluOpcode(op))
    return value;
  auto operand = llvm::find_if(op->getOperands(), [&](Value operand) {
    return !sides.isAccessible(operand);
  });
  return operand == op->operand_end() ? value : findObstacle(*operand, sides);
}

std::string Decoupling::whyItStays(memref::LoadOp load) const {
  for (Operation *op = load->getParentOp(); op != nest->getParentOp();
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    auto branch = dyn_cast<scf::IfOp>(op);
    if (loop && isAccessibleLoop(loop))
      continue;
    if (branch && isAccessible(branch.getCondition()))
      continue;
    return "the access unit cannot follow " + describe(op) +
           (loop     ? ": its bounds are computed by the core"
            : branch ? ": its condition is computed by the core"
                     : "");
  }
  Value memref = load.getMemRef();
  Value buffer = slc::getRootBuffer(memref);
  if (Operation *maker = buffer.getDefiningOp();
      maker && isLocal(maker) && nest->isAncestor(maker))
    return "the buffer is private to the core";
  if (nest->isAncestor(memref.getParentBlock()->getParentOp()))
    return memref.getDefiningOp() ? "the buffer is made in the nest, by " +
                                        describe(memref.getDefiningOp())
                                  : "the buffer is a value that a loop carries";
  if (auto writer = written.find(buffer); writer != written.end())
    return "the nest writes the buffer, by " + describe(writer->second);
  for (Value index : load.getIndices())
    if (!isAccessible(index)) {
      Value obstacle = findObstacle(index, *this);
      Operation *op = obstacle.getDefiningOp();
      return op ? "its position depends on " + describe(op) +
                      ", which the core runs"
                : "its position depends on a value that the core carries "
                  "through a loop";
    }
  return "the access unit does not read elements of this type and memory";
}

void Decoupling::explainLoads() const {
  if (!nest->getContext()->getRemarkEngine())
    return;
  nest->walk([&](Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (load && moved.contains(load))
      remark::passed(op->getLoc(), getRemarkOptions("LoadMoves", nest))
          << "this load moves to the access unit";
    else if (load)
      remark::missed(op->getLoc(), getRemarkOptions("LoadStays", nest))
          << "this load stays on the core: " + whyItStays(load);
    else if (!slc::getMemoryUse(op).reads.empty())
      remark::missed(op->getLoc(), getRemarkOptions("LoadStays", nest))
          << "this read stays on the core: only 'memref.load' moves to the "
             "access unit";
  });
}
