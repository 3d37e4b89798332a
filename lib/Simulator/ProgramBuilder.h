//===- ProgramBuilder.h - Count LLVM instructions as micro-ops --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_PROGRAMBUILDER_H
#define EMBER_LIB_SIMULATOR_PROGRAMBUILDER_H

#include "Instrument.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace ember::sim {

/// Slots of a value, one for each machine register it takes.
using Slots = llvm::SmallVector<uint32_t, 4>;

/// Builds a `Program`. The rules of counting are in ProgramBuilder.cpp
/// (arithmetic and memory), VectorOps.cpp (lane movement, reductions) and
/// Edges.cpp (renames between blocks).
class ProgramBuilder {
public:
  ProgramBuilder(llvm::Module &module, unsigned vectorBits,
                 Numbering &numbering);

  llvm::Expected<Program> build();

private:
  //===-- Slots -----------------------------------------------------------===//

  /// Machine registers a value of `type` takes.
  unsigned numParts(llvm::Type *type) const;
  /// Lanes of `type` in one machine register.
  unsigned lanesPerPart(llvm::FixedVectorType *type) const;
  Slots newSlots(llvm::Type *type);
  /// The slots of an operand; zeros for a constant.
  Slots slotsOf(const llvm::Value *value) const;
  uint32_t slotOf(const llvm::Value *value, unsigned part = 0) const;
  void define(const llvm::Value *value, Slots slots);
  /// Index of the first slot of a leaf of an aggregate.
  unsigned leafOffset(llvm::Type *type, llvm::ArrayRef<unsigned> indices) const;

  //===-- Micro-ops -------------------------------------------------------===//

  /// Adds a micro-op and returns its result's (new) slot.
  uint32_t emit(OpClass opClass, llvm::ArrayRef<uint32_t> sources);
  /// As `emit`, without a result.
  MicroOp &emitSink(OpClass opClass, llvm::ArrayRef<uint32_t> sources);
  /// One micro-op a part of the result, from the same part of each operand.
  void emitParts(const llvm::Instruction &instruction, OpClass opClass);

  llvm::Error visit(llvm::Instruction &instruction);
  llvm::Error visitBinary(llvm::BinaryOperator &op);
  llvm::Error visitCast(llvm::CastInst &cast);
  llvm::Error visitIntrinsic(llvm::IntrinsicInst &call);
  void visitCompare(llvm::CmpInst &compare);
  void visitAddress(llvm::GetElementPtrInst &address);
  void visitTerminator(llvm::Instruction &terminator, Block &block);
  /// A division lane by lane, as there is no vector one for integers.
  void scalarised(const llvm::Instruction &instruction, OpClass opClass);

  //===-- Memory ----------------------------------------------------------===//

  /// True if the address is computed by the loads and stores that use it.
  bool isFolded(const llvm::GetElementPtrInst &address) const;
  Slots addressSlots(const llvm::Value *pointer) const;
  void visitLoad(llvm::Instruction &load, llvm::Value *pointer,
                 llvm::Value *mask);
  void visitStore(llvm::Instruction &store, llvm::Value *pointer,
                  llvm::Value *value, llvm::Value *mask, bool release);
  void visitLanes(llvm::IntrinsicInst &call);
  void visitPrefetch(llvm::IntrinsicInst &call);
  Site &addSite(llvm::Instruction &instruction, uint64_t bytes, bool write);

  //===-- Vectors ---------------------------------------------------------===//

  void visitShuffle(llvm::ShuffleVectorInst &shuffle);
  void visitInsertElement(llvm::InsertElementInst &insert);
  void visitExtractElement(llvm::ExtractElementInst &extract);
  void visitReduction(llvm::IntrinsicInst &call, OpClass opClass);
  void visitOrderedReduction(llvm::IntrinsicInst &call, OpClass opClass);
  /// Joins values into one, four at a time.
  uint32_t merge(llvm::SmallVector<uint32_t, 16> values);

  //===-- Edges -----------------------------------------------------------===//

  void buildEdges();
  void addEdge(uint32_t from, llvm::ArrayRef<Rename> renames);
  static void addRenames(llvm::SmallVectorImpl<Rename> &renames,
                         llvm::ArrayRef<uint32_t> to,
                         llvm::ArrayRef<uint32_t> from);

  llvm::Module &module;
  const llvm::DataLayout &layout;
  unsigned vectorBits;
  Numbering &numbering;
  Program program;
  unsigned blockWords = 0; ///< Trace words of the block being built.
  llvm::DenseMap<const llvm::Value *, Slots> slots;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> blockNumbers;
  llvm::DenseMap<const llvm::Function *, uint32_t> routineNumbers;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_PROGRAMBUILDER_H
