//===- Emb.h - The emb dialect ----------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMB_H
#define EMBER_DIALECT_EMB_IR_EMB_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/Emb/IR/EmbDialect.h.inc"
#include "ember/Dialect/Emb/IR/EmbEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Emb/IR/EmbAttributes.h.inc"

namespace ember::emb {

/// An operand of indices: `name` is its name in the operation, the rows of
/// `table` (dimension 0) are its limit, `oob` the policy for what is outside.
struct IndexOperand {
  llvm::StringRef name;
  mlir::OpOperand *indices;
  mlir::OpOperand *table;
  Oob oob;
};

/// An operand that cuts another into segments: `name` is its name in the
/// operation; it speaks of the elements of `segmented` (dimension 0).
struct BoundsOperand {
  llvm::StringRef name;
  mlir::OpOperand *bounds;
  mlir::OpOperand *segmented;
};

namespace detail {
/// The part of verification that is the same for all operations.
llvm::LogicalResult verifyEmbOp(mlir::Operation *op);

/// On memrefs inputs are read and the destination is written; on tensors there
/// are no effects.
void getEffects(mlir::DestinationStyleOpInterface op,
                llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<
                    mlir::MemoryEffects::Effect>> &effects);

/// Replaces `op` by the same operation on the buffers of its operands.
llvm::LogicalResult
bufferize(mlir::DestinationStyleOpInterface op, mlir::RewriterBase &rewriter,
          const mlir::bufferization::BufferizationOptions &options,
          mlir::bufferization::BufferizationState &state);
} // namespace detail

} // namespace ember::emb

#include "ember/Dialect/Emb/IR/EmbInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Emb/IR/EmbOps.h.inc"

#endif // EMBER_DIALECT_EMB_IR_EMB_H
