//===- RunTimeChecks.cpp - What only the run time knows -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     scf.for %i = %lo to %hi step %s { ... }
//     %b = memref.alloc(%n) : memref<?xf32>
//
// becomes, as nothing is known of %s and %n,
//
//     %bad = arith.cmpi sle, %s, %c0
//     scf.if %bad { dlc.fault loop_step argument "" (%c0, %s, %c1) }
//     %end = arith.select %bad, %lo, %hi
//     %step = arith.maxsi %s, %c1
//     scf.for %i = %lo to %end step %step { ... }
//     %negative = arith.cmpi slt, %n, %c0
//     scf.if %negative { dlc.fault negative_size argument "" (%c0, %n, %c0) }
//     %size = arith.maxsi %n, %c0
//     %b = memref.alloc(%size) : memref<?xf32>
//
// A step of 0 would never end, and a negative size is a huge one to the
// allocator. (The access unit looks after its own loops.)
//
//===----------------------------------------------------------------------===//

#include "RunTimeChecks.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// Whether `value` is known to be `least`, 0 or 1, or more.
static bool isAtLeast(Value value, int64_t least) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.sge(least);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<memref::DimOp>(op))
    return least == 0;
  auto check = [&](Value operand) { return isAtLeast(operand, least); };
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), check);
  if (isa_and_nonnull<arith::MinSIOp>(op))
    return llvm::all_of(op->getOperands(), check);
  // Sums of sizes are far from overflow.
  if (isa_and_nonnull<arith::AddIOp>(op))
    return llvm::any_of(op->getOperands(), check) &&
           llvm::all_of(op->getOperands(),
                        [](Value operand) { return isAtLeast(operand, 0); });
  return false;
}

namespace {

class Checker {
public:
  explicit Checker(Operation *op) : b(op->getLoc(), op) {}

  void checkStep(scf::ForOp loop) {
    Value step = loop.getStep();
    if (isAtLeast(step, 1))
      return;
    Type type = step.getType();
    Value zero = constant(type, 0), one = constant(type, 1);
    bool isUnsigned = loop.getUnsignedCmp();
    Value bad = arith::CmpIOp::create(
        b, isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle,
        step, zero);
    auto label = loop->getAttrOfType<StringAttr>("ember.label");
    faultIf(bad, FaultKind::LoopStep, label ? label.getValue() : "", zero, step,
            one);
    loop.setUpperBound(arith::SelectOp::create(b, bad, loop.getLowerBound(),
                                               loop.getUpperBound()));
    loop.setStep(isUnsigned ? arith::MaxUIOp::create(b, step, one).getResult()
                            : arith::MaxSIOp::create(b, step, one).getResult());
  }

  /// `sizes` are those of the dynamic dimensions of `type`.
  void checkSizes(MutableOperandRange sizes, MemRefType type) {
    Value zero;
    for (auto [number, operand] : llvm::enumerate(sizes)) {
      Value size = operand.get();
      if (isAtLeast(size, 0))
        continue;
      if (!zero)
        zero = constant(b.getIndexType(), 0);
      Value bad =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, size, zero);
      Value dimension = constant(b.getIndexType(), getDimension(type, number));
      faultIf(bad, FaultKind::NegativeSize, "", dimension, size, zero);
      operand.set(arith::MaxSIOp::create(b, size, zero));
    }
  }

private:
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }

  void faultIf(Value bad, FaultKind kind, StringRef argument, Value position,
               Value value, Value limit) {
    auto branch = scf::IfOp::create(b, bad, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    FaultOp::create(b, kind, argument, position, value, limit,
                    /*site=*/IntegerAttr());
  }

  /// The `number`-th dynamic dimension of `type`.
  static int64_t getDimension(MemRefType type, unsigned number) {
    int64_t dimension = 0;
    while (!type.isDynamicDim(dimension) || number-- > 0)
      ++dimension;
    return dimension;
  }

  ImplicitLocOpBuilder b;
};

} // namespace

void ember::dlc::addRunTimeChecks(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      Checker(op).checkStep(loop);
    else if (auto alloc = dyn_cast<memref::AllocOp>(op))
      Checker(op).checkSizes(alloc.getDynamicSizesMutable(), alloc.getType());
    else if (auto local = dyn_cast<memref::AllocaOp>(op))
      Checker(op).checkSizes(local.getDynamicSizesMutable(), local.getType());
  });
}
