//===- LowerFaults.cpp - Reports of bad data as calls ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     dlc.fault K argument "a" (%position, %value, %limit) site 3
//
// becomes
//
//     call @ember_fault(%ctx, 3, %position, %value, %limit)
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ember;

namespace {

struct LowerFaults : PassWrapper<LowerFaults, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerFaults)

  StringRef getArgument() const final { return "ember-lower-faults"; }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](dlc::FaultOp fault) {
      return failed(lower(fault)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult lower(dlc::FaultOp fault) {
    auto function = fault->getParentOfType<func::FuncOp>();
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    if (!fault.getSite() || !function || function.getNumArguments() == 0 ||
        function.getArgument(0).getType() != pointer)
      return fault.emitOpError("has no site or no context to report to; "
                               "dlc-split gives it both");
    OpBuilder builder(fault);
    Location loc = fault.getLoc();
    SmallVector<Value> operands{function.getArgument(0)};
    operands.push_back(
        arith::ConstantIntOp::create(builder, loc, *fault.getSite(), 32));
    for (Value value : fault.getOperands())
      operands.push_back(toI64(builder, value));
    func::CallOp::create(builder, loc, getReport(operands), operands);
    fault.erase();
    return success();
  }

  static Value toI64(OpBuilder &builder, Value value) {
    Type i64 = builder.getI64Type();
    if (value.getType() == i64)
      return value;
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(builder, value.getLoc(), i64, value);
    if (value.getType().getIntOrFloatBitWidth() > 64)
      return arith::TruncIOp::create(builder, value.getLoc(), i64, value);
    return arith::ExtSIOp::create(builder, value.getLoc(), i64, value);
  }

  func::FuncOp getReport(ValueRange operands) {
    ModuleOp module = getOperation();
    if (auto report = module.lookupSymbol<func::FuncOp>("ember_fault"))
      return report;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto report =
        func::FuncOp::create(builder, module.getLoc(), "ember_fault",
                             builder.getFunctionType(operands.getTypes(), {}));
    report.setPrivate();
    report->setAttr("passthrough",
                    builder.getStrArrayAttr({"cold", "nounwind"}));
    return report;
  }
};

} // namespace

std::unique_ptr<Pass> ember::createLowerFaultsPass() {
  return std::make_unique<LowerFaults>();
}
