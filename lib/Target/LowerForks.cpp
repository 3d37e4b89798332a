//===- LowerForks.cpp - Calls on several cores become the run time's ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   llvm.call @f(%ctx, %c0, %x, %y) {dlc.cores = 3}
//     ==>
//   (store %x and %y to %closure)
//   llvm.call @ember_fork(%ctx, %c1, @f_forked, %closure)
//   llvm.call @ember_fork(%ctx, %c2, @f_forked, %closure)
//   llvm.call @f(%ctx, %c0, %x, %y)
//   llvm.call @ember_join(%ctx)
//
//   llvm.func internal @f_forked(%ctx, %core, %closure) {
//     (load %x and %y) llvm.call @f(%ctx, %core, %x, %y) }
//
// Core 0 is the caller itself.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ember;

namespace {

struct LowerForks : PassWrapper<LowerForks, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerForks)

  StringRef getArgument() const final { return "ember-lower-forks"; }

  void runOnOperation() override {
    SmallVector<LLVM::CallOp> calls;
    getOperation().walk([&](LLVM::CallOp call) {
      if (call->hasAttr(dlc::DlcDialect::coresAttr))
        calls.push_back(call);
    });
    for (LLVM::CallOp call : calls)
      if (failed(lower(call)))
        return signalPassFailure();
  }

  /// The context and the number of the core come first.
  static constexpr unsigned kCaptures = 2;

  LogicalResult lower(LLVM::CallOp call) {
    auto cores = cast<IntegerAttr>(call->removeAttr(dlc::DlcDialect::coresAttr))
                     .getInt();
    ValueRange operands = call.getArgOperands();
    auto callee = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
        call, call.getCalleeAttr());
    ImplicitLocOpBuilder b(call.getLoc(), call);
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type();
    if (!callee || operands.size() < kCaptures ||
        operands[0].getType() != pointer || operands[1].getType() != i64)
      return call.emitOpError("cannot happen on several cores: it passes no "
                              "context and number of the core; dlc-split "
                              "adds the context");
    ValueRange captures = operands.drop_front(kCaptures);
    auto type = LLVM::LLVMStructType::getLiteral(
        &getContext(), llvm::to_vector(captures.getTypes()));
    Value closure = allocate(call, type);
    for (auto [number, value] : llvm::enumerate(captures))
      LLVM::StoreOp::create(b, value, field(b, closure, type, number));

    LLVM::LLVMFuncOp forked = getForked(callee, type);
    LLVM::LLVMFuncOp fork =
        getRuntime("ember_fork", {pointer, i64, pointer, pointer});
    Value code = LLVM::AddressOfOp::create(b, forked);
    for (int64_t core = 1; core < cores; ++core) {
      Value number = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(core));
      LLVM::CallOp::create(b, fork,
                           ValueRange{operands[0], number, code, closure});
    }
    b.setInsertionPointAfter(call);
    LLVM::CallOp::create(b, getRuntime("ember_join", {pointer}), operands[0]);
    return success();
  }

  /// Memory for one `type` in the frame of the function around `call`.
  static Value allocate(LLVM::CallOp call, Type type) {
    auto function = call->getParentOfType<LLVM::LLVMFuncOp>();
    auto b = ImplicitLocOpBuilder::atBlockBegin(call.getLoc(),
                                                &function.getBody().front());
    Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
    return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  type, one);
  }

  static Value field(ImplicitLocOpBuilder &b, Value closure, Type type,
                     int32_t number) {
    return LLVM::GEPOp::create(b, closure.getType(), type, closure,
                               ArrayRef<LLVM::GEPArg>{0, number});
  }

  /// The function that calls `callee` with what the closure holds.
  LLVM::LLVMFuncOp getForked(LLVM::LLVMFuncOp callee,
                             LLVM::LLVMStructType type) {
    std::string name = (callee.getSymName() + "_forked").str();
    if (auto forked = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name))
      return forked;
    ImplicitLocOpBuilder b(callee.getLoc(), callee);
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto forked = LLVM::LLVMFuncOp::create(
        b, name,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                    {pointer, b.getI64Type(), pointer}),
        LLVM::Linkage::Internal);
    if (Attribute user = callee.getPassthroughAttr())
      forked->setAttr(forked.getPassthroughAttrName(), user);
    b.setInsertionPointToStart(forked.addEntryBlock(b));
    SmallVector<Value> operands(forked.getArguments().take_front(kCaptures));
    for (auto [number, element] : llvm::enumerate(type.getBody()))
      operands.push_back(LLVM::LoadOp::create(
          b, element, field(b, forked.getArgument(2), type, number)));
    LLVM::CallOp::create(b, callee, operands);
    LLVM::ReturnOp::create(b, ValueRange());
    return forked;
  }

  LLVM::LLVMFuncOp getRuntime(StringRef name, ArrayRef<Type> inputs) {
    ModuleOp module = getOperation();
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return function;
    auto b =
        ImplicitLocOpBuilder::atBlockBegin(module.getLoc(), module.getBody());
    return LLVM::LLVMFuncOp::create(
        b, name,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                    inputs));
  }
};

} // namespace

std::unique_ptr<Pass> ember::createLowerForksPass() {
  return std::make_unique<LowerForks>();
}
