//===- EmbInterfaces.td - What every emb operation tells ---*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMB_IR_EMBINTERFACES_TD
#define EMBER_DIALECT_EMB_IR_EMBINTERFACES_TD

include "mlir/IR/OpBase.td"

def EmbOpInterface : OpInterface<"EmbOpInterface"> {
  let description = [{
    What the rest of the compiler needs to know of an embedding operation. The
    verifier, bufferization, `convert-emb-to-scf` and the launch checks speak to
    operations through it alone, so a new operation is an entry in EmbOps.td, a
    source file with these methods, and a test.

    Operations are in destination style, and their operands all ranked tensors or
    all strided memrefs; the interface's verifier checks that, and the element
    types of tables and indices.
  }];
  let cppNamespace = "::ember::emb";

  let methods = [
    InterfaceMethod<[{
        The operands that hold indices into tables, each with the table whose
        rows limit it and the policy for indices outside of it.
      }],
      "::llvm::SmallVector<::ember::emb::IndexOperand>", "getIndexOperands">,
    InterfaceMethod<[{
        The operands that cut others into segments (offsets of bags, row
        pointers, segment ids). They are integers like indices, but have no
        table.
      }],
      "::llvm::SmallVector<::ember::emb::BoundsOperand>", "getBoundsOperands",
      (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
        Whether every element of this init operand is written before the
        operation ends and none is read before it is written. Bufferization
        then gives the operation an uninitialised buffer.
      }],
      "bool", "isFullyWritten", (ins "::mlir::OpOperand &":$init), "",
      [{ return true; }]>,
    InterfaceMethod<[{
        Emits the scalar reference form of the operation, which is on memrefs,
        at the builder's insertion point: first the host part (checks, offsets
        brought to one form), then the loop nest, whose outermost `scf.for`
        carries `ember.kernel` and, if its iterations are independent,
        `ember.parallel`. The operation itself is left in place.
      }],
      "::llvm::LogicalResult", "lowerToLoops",
      (ins "::mlir::OpBuilder &":$builder)>,
  ];

  let verify = [{ return ::ember::emb::detail::verifyEmbOp($_op); }];
}

#endif // EMBER_DIALECT_EMB_IR_EMBINTERFACES_TD
