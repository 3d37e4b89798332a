//===- Decoupling.cpp - Which side runs what in a loop nest ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Decoupling.h"

#include "Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using slc::AluOpcode;

static AluOpcode getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return AluOpcode::Eq;
  case arith::CmpIPredicate::ne:
    return AluOpcode::Ne;
  case arith::CmpIPredicate::slt:
    return AluOpcode::Slt;
  case arith::CmpIPredicate::sle:
    return AluOpcode::Sle;
  case arith::CmpIPredicate::sgt:
    return AluOpcode::Sgt;
  case arith::CmpIPredicate::sge:
    return AluOpcode::Sge;
  case arith::CmpIPredicate::ult:
    return AluOpcode::Ult;
  case arith::CmpIPredicate::ule:
    return AluOpcode::Ule;
  case arith::CmpIPredicate::ugt:
    return AluOpcode::Ugt;
  case arith::CmpIPredicate::uge:
    return AluOpcode::Uge;
  }
  llvm_unreachable("every predicate is mapped above");
}

std::optional<AluOpcode> ember::getAluOpcode(Operation *op) {
  // The access unit computes in 64 bits.
  auto fits = [](Type type) {
    return type.isIndex() ||
           (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
  };
  if (op->getNumResults() != 1 || !fits(op->getResult(0).getType()) ||
      !llvm::all_of(op->getOperandTypes(), fits))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<AluOpcode>>(op)
      .Case([](arith::AddIOp) { return AluOpcode::Add; })
      .Case([](arith::SubIOp) { return AluOpcode::Sub; })
      .Case([](arith::MulIOp) { return AluOpcode::Mul; })
      .Case([](arith::MinSIOp) { return AluOpcode::Min; })
      .Case([](arith::MaxSIOp) { return AluOpcode::Max; })
      .Case([](arith::AndIOp) { return AluOpcode::And; })
      .Case([](arith::OrIOp) { return AluOpcode::Or; })
      .Case([](arith::SelectOp) { return AluOpcode::Select; })
      .Case([](arith::IndexCastOp) { return AluOpcode::IndexCast; })
      .Case([](arith::ExtSIOp) { return AluOpcode::ExtSI; })
      .Case([](arith::ExtUIOp) { return AluOpcode::ExtUI; })
      .Case([](arith::TruncIOp) { return AluOpcode::Trunc; })
      .Case([](arith::CmpIOp cmp) { return getComparison(cmp.getPredicate()); })
      .Default([](Operation *) { return std::nullopt; });
}

bool Decoupling::isAccessible(Value value) const {
  // Values from outside the nest become kernel arguments.
  return accessible.contains(value) ||
         !nest->isAncestor(value.getParentBlock()->getParentOp());
}

bool Decoupling::isLocal(Operation *op) const {
  auto alloca = dyn_cast<memref::AllocaOp>(op);
  return alloca && alloca.getType().hasStaticShape() &&
         alloca.getType().getLayout().isIdentity() &&
         !alloca.getType().getMemorySpace() &&
         alloca.getSymbolOperands().empty();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Decoupling::collectMemory() {
  nest.walk([&](Operation *op) {
    slc::MemoryUse use = slc::getMemoryUse(op);
    for (Value buffer : use.reads)
      read.try_emplace(buffer, op);
    for (Value buffer : use.writes)
      written.try_emplace(buffer, op);
    if (obstacle)
      return;
    if (use.unknown) {
      obstacle = op;
      obstacleReason = "may write any memory";
    } else if (isa<memref::AllocaOp>(op) && !isLocal(op)) {
      obstacle = op;
      obstacleReason = "has no static shape and plain layout, as memory that "
                       "is private to a core needs";
    }
  });
}

bool Decoupling::isMovableLoad(memref::LoadOp load) const {
  if (nest->isAncestor(load.getMemRef().getParentBlock()->getParentOp()) ||
      !load.getMemRefType().getElementType().isIntOrIndexOrFloat() ||
      load.getMemRefType().getMemorySpace() ||
      !llvm::all_of(load.getIndices(),
                    [&](Value v) { return isAccessible(v); }))
    return false;
  return !written.contains(slc::getRootBuffer(load.getMemRef()));
}

/// Buffers of a kernel must not overlap if one of them is written: the access
/// unit runs ahead, and later passes reorder accesses to different buffers.
void Decoupling::findConflict() {
  auto isInside = [&](Value value) {
    return nest->isAncestor(value.getParentBlock()->getParentOp());
  };
  // What the nest allocates is none of what was there before it.
  auto isNew = [&](Value value) {
    return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
               value.getDefiningOp()) &&
           isInside(value);
  };
  for (auto [target, writer] : written) {
    for (auto *others : {&read, &written})
      for (auto [buffer, user] : *others) {
        if (buffer == target || (isNew(target) && !isInside(buffer)) ||
            (isNew(buffer) && !isInside(target)) ||
            !aliasing.mayAlias(buffer, target))
          continue;
        conflict = {user, writer};
        return;
      }
  }
  // The same buffer under two names, one of them a view made outside.
  nest.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (conflict.first || !isa<BaseMemRefType>(operand.getType()) ||
          isInside(operand))
        continue;
      auto writer = written.find(slc::getRootBuffer(operand));
      if (writer == written.end())
        continue;
      Value &name = names[writer->first];
      if (name && name != operand)
        conflict = {op, writer->second};
      name = operand;
    }
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Decoupling::isAccessibleLoop(scf::ForOp loop) const {
  return loop.getInductionVar().getType().isIndex() && !loop.getUnsignedCmp() &&
         isAccessible(loop.getLowerBound()) &&
         isAccessible(loop.getUpperBound()) &&
         (matchPattern(loop.getStep(), m_Constant()) ||
          !nest->isAncestor(loop.getStep().getParentBlock()->getParentOp()));
}

void Decoupling::classify(Block &block) {
  for (Operation &op : block) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (!isMovableLoad(load))
        continue;
      accessible.insert(load.getResult());
      moved.insert(load);
    } else if (matchPattern(&op, m_Constant()) ||
               (getAluOpcode(&op) &&
                llvm::all_of(op.getOperands(),
                             [&](Value v) { return isAccessible(v); }))) {
      accessible.insert(op.getResult(0));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!isAccessibleLoop(loop))
        continue;
      accessible.insert(loop.getInductionVar());
      classify(*loop.getBody());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (!isAccessible(branch.getCondition()))
        continue;
      for (Region *region : branch.getRegions())
        if (!region->empty())
          classify(region->front());
    }
  }
}

void Decoupling::markStructure() {
  for (Operation *load : moved)
    for (Operation *op = load->getParentOp(); op != nest->getParentOp();
         op = op->getParentOp())
      structure.insert(op);
}

void Decoupling::markNeeded(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !nest->isAncestor(op) || matchPattern(op, m_Constant()) ||
      moved.contains(op) || !needed.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    markNeeded(operand);
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

bool Decoupling::dependsOnLoad(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !nest->isAncestor(op))
    return false;
  return moved.contains(op) ||
         (getAluOpcode(op) && llvm::any_of(op->getOperands(), [&](Value v) {
            return dependsOnLoad(v);
          }));
}

/// The value of which `value` is another width.
static Value stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

bool Decoupling::isCheckedByUnit(Value condition, Operation *where) const {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isCheckedByUnit(operand, where);
    });
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return false;
  Value position = stripCasts(compare.getLhs());
  Value limit = stripCasts(compare.getRhs());
  auto isExtent = [&](memref::LoadOp load, int64_t dimension) {
    auto extent = limit.getDefiningOp<memref::DimOp>();
    return extent && extent.getSource() == load.getMemRef() &&
           extent.getConstantIndex() == dimension;
  };
  auto isChecked = [&](memref::LoadOp load, int64_t dimension) {
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::sge:
      return matchPattern(limit, m_Zero());
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::ult:
      return isExtent(load, dimension);
    default:
      return false;
    }
  };
  return llvm::any_of(moved, [&](Operation *op) {
    auto load = cast<memref::LoadOp>(op);
    if (!load->getBlock()->findAncestorOpInBlock(*where))
      return false;
    for (auto [dimension, index] : llvm::enumerate(load.getIndices()))
      if (stripCasts(index) == position && isChecked(load, dimension))
        return true;
    return false;
  });
}

/// A lookup reads data at a place that other data says: dense loops, such as
/// the host's own checks, gain nothing from an access unit.
bool Decoupling::isLookup() {
  if (nest->hasAttr("ember.kernel"))
    return true;
  auto depends = [&](Value v) { return dependsOnLoad(v); };
  for (Operation *op : structure) {
    if (auto loop = dyn_cast<scf::ForOp>(op);
        loop &&
        (depends(loop.getLowerBound()) || depends(loop.getUpperBound())))
      return true;
    if (auto branch = dyn_cast<scf::IfOp>(op);
        branch && depends(branch.getCondition()))
      return true;
  }
  return llvm::any_of(moved, [&](Operation *load) {
    return llvm::any_of(cast<memref::LoadOp>(load).getIndices(), depends);
  });
}

Decoupling::Outcome Decoupling::run() {
  auto leave = [&](StringRef reason) {
    if (isLookup())
      remark::missed(nest.getLoc(), getRemarkOptions("NestStays", nest))
          << ("this lookup stays on the host: " + reason).str();
    return Outcome::Host;
  };
  if (!isAccessibleLoop(nest))
    return leave("its counter is not a signed index");
  collectMemory();
  accessible.insert(nest.getInductionVar());
  classify(*nest.getBody());
  markStructure();
  if (moved.empty())
    return leave("no load can move to the access unit");
  if (!isLookup()) {
    remark::analysis(nest.getLoc(), getRemarkOptions("NoLookup", nest))
        << "this nest stays on the host: no load, loop bound or condition "
           "depends on a load";
    return Outcome::Host;
  }
  if (nest.getNumResults())
    return leave("it carries values out of its outermost loop");
  if (obstacle)
    return leave(describe(obstacle) + " " + obstacleReason);
  findConflict();
  if (auto [user, writer] = conflict; user) {
    InFlightDiagnostic diagnostic =
        user->emitError("cannot tell whether the buffer used here is written "
                        "under another name "
                        "in the same nest");
    diagnostic.attachNote(writer->getLoc())
        << "this may write it: use buffers known to be distinct";
    return Outcome::Error;
  }
  for (Operation *load : moved)
    for (Value index : cast<memref::LoadOp>(load).getIndices())
      markNeeded(index);
  for (Operation *op : structure) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      markNeeded(loop.getLowerBound());
      markNeeded(loop.getUpperBound());
    } else {
      markNeeded(cast<scf::IfOp>(op).getCondition());
    }
  }
  return Outcome::Kernel;
}
