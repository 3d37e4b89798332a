//===- Slc.h - The slc dialect ----------------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLC_H
#define EMBER_DIALECT_SLC_IR_SLC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ember/Dialect/Slc/IR/SlcDialect.h.inc"

#include "ember/Dialect/Slc/IR/SlcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Slc/IR/SlcAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/Slc/IR/SlcTypes.h.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Slc/IR/SlcOps.h.inc"

namespace ember::slc {

/// Whether `type` belongs to the access side: a stream or a chunk.
inline bool isAccessType(mlir::Type type) {
  return mlir::isa<StreamType, ChunkType>(type);
}

/// The type under which a callback sees an operand of `type`: the element of a
/// stream, the queue memory of a chunk.
mlir::Type getCallbackArgumentType(mlir::Type type);

/// Checks that the yield that ends `region` of `op`, of this dialect or of dlc,
/// hands on values of `types`.
mlir::LogicalResult verifyYield(mlir::Operation *op, mlir::Region &region,
                                mlir::TypeRange types);

/// Whether the core does anything in `op` or needs its results.
bool concernsCore(mlir::Operation *op);

/// Whether the access unit stores in `op`.
bool stores(mlir::Operation *op);

/// The choice that everything `loop` does on the core stands under, if the core
/// need not see iterations that fail it.
IfOp findFilter(ForOp loop);

/// Whether the last dimension of `type` has stride 1 (or there is none).
bool hasUnitInnerStride(mlir::MemRefType type);

/// The buffer that `memref` is a view of, as far as the IR shows it.
mlir::Value getRootBuffer(mlir::Value memref);

/// What `op` does to memory, itself and not the operations in its regions.
/// Buffers are root buffers.
struct MemoryUse {
  llvm::SmallVector<mlir::Value> reads, writes;
  /// It may read or write memory that no operand names.
  bool unknown = false;
};
MemoryUse getMemoryUse(mlir::Operation *op);

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_IR_SLC_H
