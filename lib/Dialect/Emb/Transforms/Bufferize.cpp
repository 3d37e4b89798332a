//===- Bufferize.cpp - Turn tensors into memrefs --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   func.func @f(%table: tensor<?x64xf32>, %indices: tensor<?xi64>)
//       -> tensor<?x64xf32> {
//     %out = tensor.empty(%n) : tensor<?x64xf32>
//     %r = emb.lookup ins(%table, %indices : ...) outs(%out : ...) -> ...
//     return %r : tensor<?x64xf32>
//   }
//
// becomes
//
//   func.func @f(%table: memref<?x64xf32, strided<[?, 1], offset: ?>>,
//                %indices: memref<?xi64, strided<[1], offset: ?>>)
//       -> memref<?x64xf32> {
//     %out = memref.alloc(%n) {alignment = 64 : i64} : memref<?x64xf32>
//     emb.lookup ins(%table, %indices : ...) outs(%out : memref<?x64xf32>)
//     return %out : memref<?x64xf32>
//   }
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Emb/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace ember::emb {
#define GEN_PASS_DEF_EMBERBUFFERIZE
#include "ember/Dialect/Emb/Transforms/Passes.h.inc"
} // namespace ember::emb

using namespace mlir;
using bufferization::BufferizationDialect;

/// The memref type of a function argument.
static bufferization::BufferLikeType
convertArgumentType(bufferization::TensorLikeType type, Attribute memorySpace,
                    func::FuncOp function,
                    const bufferization::BufferizationOptions &options) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return cast<bufferization::BufferLikeType>(UnrankedMemRefType::get(
        cast<TensorType>(type).getElementType(), memorySpace));
  constexpr int64_t any = ShapedType::kDynamic;
  MemRefLayoutAttrInterface layout;
  if (tensor.getRank() == 1)
    layout = StridedLayoutAttr::get(type.getContext(), any, {1});
  else if (tensor.getRank() == 2 && isa<FloatType>(tensor.getElementType()))
    layout = StridedLayoutAttr::get(type.getContext(), any, {any, 1});
  return cast<bufferization::BufferLikeType>(MemRefType::get(
      tensor.getShape(), tensor.getElementType(), layout, memorySpace));
}

/// Whether an argument is flattened, as per-sample weights of two-dimensional
/// indices are. Rows that need not be adjacent could only be copied for that.
static bool isFlattened(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(),
                      llvm::IsaPred<tensor::CollapseShapeOp>);
}

static bool isEntryPoint(func::FuncOp function) {
  return function.isPublic() && !function.isDeclaration();
}

/// Whether `value` is a whole buffer that this function has allocated, perhaps
/// seen with another shape; gives the allocation.
static memref::AllocOp getWholeAllocation(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op))
      return dyn_cast<memref::AllocOp>(op);
    value = op->getOperand(0);
  }
  return {};
}

/// Makes every result of `function` a buffer of its own.
static void separateResults(func::FuncOp function) {
  auto isSeparate = [](Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return true;
    memref::AllocOp alloc = getWholeAllocation(value);
    return alloc && type.getLayout().isIdentity() && seen.insert(alloc).second;
  };
  function.walk([&](func::ReturnOp returnOp) {
    OpBuilder builder(returnOp);
    llvm::SmallPtrSet<Operation *, 4> seen;
    for (OpOperand &operand : returnOp->getOpOperands()) {
      Value value = operand.get();
      if (isSeparate(value, seen))
        continue;
      auto type = cast<MemRefType>(value.getType());
      auto plain = MemRefType::get(type.getShape(), type.getElementType());
      SmallVector<Value> sizes;
      for (int64_t i = 0; i < type.getRank(); ++i)
        if (type.isDynamicDim(i))
          sizes.push_back(
              memref::DimOp::create(builder, returnOp.getLoc(), value, i));
      Value copy =
          memref::AllocOp::create(builder, returnOp.getLoc(), plain, sizes,
                                  builder.getI64IntegerAttr(64));
      memref::CopyOp::create(builder, returnOp.getLoc(), value, copy);
      operand.set(copy);
    }
    function.setType(FunctionType::get(function.getContext(),
                                       function.getArgumentTypes(),
                                       returnOp.getOperandTypes()));
  });
}

/// Gives `call` the result types that its callee has come to have; its users go
/// on seeing the old ones.
static void updateResultTypes(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call->getContext());
  builder.setInsertionPointAfter(call);
  for (auto [result, type] :
       llvm::zip_equal(call.getResults(), callee.getResultTypes())) {
    Type oldType = result.getType();
    if (oldType == type)
      continue;
    result.setType(type);
    auto cast = memref::CastOp::create(builder, call.getLoc(), oldType, result);
    result.replaceAllUsesExcept(cast, cast);
  }
}

/// Says what bufferization cannot know of an argument.
static void annotate(func::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  if (!isa<TensorType>(argument.getType()))
    return;
  Builder builder(function.getContext());
  function.setArgAttr(index, BufferizationDialect::kWritableAttrName,
                      builder.getBoolAttr(false));
  if (isFlattened(argument)) {
    int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
    function.setArgAttr(
        index, BufferizationDialect::kBufferLayoutAttrName,
        AffineMapAttr::get(builder.getMultiDimIdentityMap(rank)));
  }
}

namespace {
struct EmberBufferize : ember::emb::impl::EmberBufferizeBase<EmberBufferize> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      if (isEntryPoint(function))
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          annotate(function, i);

    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.functionArgTypeConverterFn = convertArgumentType;
    bufferization::BufferizationState state;
    if (failed(
            bufferization::runOneShotModuleBufferize(module, options, state)))
      return signalPassFailure();
    bufferization::removeBufferizationAttributesInModule(module);

    for (auto function : module.getOps<func::FuncOp>())
      if (isEntryPoint(function))
        separateResults(function);
    SymbolTable symbols(module);
    module.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        updateResultTypes(call, callee);
    });
  }
};
} // namespace
