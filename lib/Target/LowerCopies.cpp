//===- LowerCopies.cpp - Copies of views become loops ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   memref.copy %view, %dense            scf.for %i = %c0 to %rows step %c1 {
//     : memref<?x4xf32,                    scf.for %j = %c0 to %c4 step %c1 {
//              strided<[?, 1]>>    =>        %x = memref.load %view[%i, %j]
//     to memref<?x4xf32>                     memref.store %x, %dense[%i, %j]
//                                        } }
//
// MLIR calls a library function for these. Copies between dense buffers are
// left: they become memcpy.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace ember;

static bool isView(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && !type.getLayout().isIdentity();
}

static void lower(memref::CopyOp copy) {
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  Value source = copy.getSource(), target = copy.getTarget();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> lower, upper, step;
  for (int64_t i = 0; i < cast<MemRefType>(source.getType()).getRank(); ++i) {
    lower.push_back(zero);
    upper.push_back(memref::DimOp::create(builder, loc, source, i));
    step.push_back(one);
  }
  scf::buildLoopNest(
      builder, loc, lower, upper, step,
      [&](OpBuilder &body, Location loc, ValueRange indices) {
        Value element = memref::LoadOp::create(body, loc, source, indices);
        memref::StoreOp::create(body, loc, element, target, indices);
      });
  copy.erase();
}

namespace {

struct LowerCopies : PassWrapper<LowerCopies, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCopies)

  StringRef getArgument() const final { return "ember-lower-copies"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp copy) {
      if (isView(copy.getSource()) || isView(copy.getTarget()))
        if (isa<MemRefType>(copy.getSource().getType()) &&
            isa<MemRefType>(copy.getTarget().getType()))
          lower(copy);
    });
  }
};

} // namespace

std::unique_ptr<Pass> ember::createLowerCopiesPass() {
  return std::make_unique<LowerCopies>();
}
