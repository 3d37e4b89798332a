//===- EmbInterfaces.cpp - What all emb operations have in common ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Emb/IR/Emb.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace ember::emb;

#include "ember/Dialect/Emb/IR/EmbInterfaces.cpp.inc"

static LogicalResult verifyIntegers(Operation *op, StringRef name,
                                    Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isIndex() || element.isSignlessInteger(32) ||
      element.isSignlessInteger(64))
    return success();
  return op->emitOpError() << "expects " << name
                           << " of i32, i64 or index, but got " << element;
}

static LogicalResult verifyTable(Operation *op, Value table) {
  auto type = cast<ShapedType>(table.getType());
  if (type.getRank() != 2)
    return op->emitOpError() << "expects a table of rank 2, rows by columns, "
                                "but got "
                             << type;
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          type.getElementType()))
    return op->emitOpError() << "expects a table of f16, bf16, f32 or f64, "
                                "but got "
                             << type.getElementType();
  if (type.isDynamicDim(1))
    return op->emitOpError() << "expects a static number of columns in the "
                                "table, but got "
                             << type;
  return success();
}

LogicalResult ember::emb::detail::verifyEmbOp(Operation *op) {
  auto embOp = cast<EmbOpInterface>(op);
  auto dpsOp = cast<DestinationStyleOpInterface>(op);
  if (!dpsOp.hasPureTensorSemantics() && !dpsOp.hasPureBufferSemantics())
    return op->emitOpError("expects all operands to be tensors or all to be "
                           "memrefs");
  for (const IndexOperand &operand : embOp.getIndexOperands())
    if (failed(verifyTable(op, operand.table->get())) ||
        failed(verifyIntegers(op, operand.name, operand.indices->get())))
      return failure();
  for (const BoundsOperand &operand : embOp.getBoundsOperands())
    if (failed(verifyIntegers(op, operand.name, operand.bounds->get())))
      return failure();
  return success();
}

void ember::emb::detail::getEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    bool isInit = op.isDpsInit(&operand);
    if (!isInit ||
        !cast<EmbOpInterface>(op.getOperation()).isFullyWritten(operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isInit)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult ember::emb::detail::bufferize(
    DestinationStyleOpInterface op, RewriterBase &rewriter,
    const bufferization::BufferizationOptions &options,
    bufferization::BufferizationState &state) {
  if (op.hasPureBufferSemantics())
    return success();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  auto newOp = cast<DestinationStyleOpInterface>(
      clone(rewriter, op, /*newResultTypes=*/TypeRange{}, buffers));
  bufferization::replaceOpWithBufferizedValues(rewriter, op,
                                               newOp.getDpsInits());
  return success();
}
