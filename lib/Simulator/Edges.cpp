//===- Edges.cpp - Register renames between blocks ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Values change their names, at no cost, where control passes between blocks:
//
//     branch  a phi's slots     <- the slots of its operand for that edge
//     call    parameters' slots <- the call's operands
//     return  the call's slots  <- the returned value's
//
// A phi of a loop may read another phi of the same block, so all renames of an
// edge read before any writes.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace ember::sim {

void ProgramBuilder::addRenames(SmallVectorImpl<Rename> &renames,
                                ArrayRef<uint32_t> to,
                                ArrayRef<uint32_t> from) {
  for (auto [index, slot] : enumerate(to))
    renames.push_back({slot, index < from.size() ? from[index] : 0});
}

void ProgramBuilder::addEdge(uint32_t from, ArrayRef<Rename> renames) {
  program.edges.push_back(
      {from, uint32_t(program.renames.size()), uint32_t(renames.size())});
  program.renames.insert(program.renames.end(), renames.begin(), renames.end());
}

void ProgramBuilder::buildEdges() {
  DenseMap<const Function *, SmallVector<const CallBase *>> callers;
  DenseMap<const Function *, SmallVector<const ReturnInst *>> returns;
  for (const BasicBlock *block : numbering.blocks) {
    for (const Instruction &instruction : *block)
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (classify(*call) == Callee::Defined)
          callers[call->getCalledFunction()].push_back(call);
    if (auto *ret = dyn_cast<ReturnInst>(block->getTerminator()))
      returns[block->getParent()].push_back(ret);
  }

  for (auto [number, block] : enumerate(numbering.blocks)) {
    Block &into = program.blocks[number];
    into.firstEdge = program.edges.size();
    SmallVector<Rename, 16> renames;

    if (block->isEntryBlock())
      for (const CallBase *call : callers.lookup(block->getParent())) {
        renames.clear();
        for (auto [parameter, operand] :
             zip(block->getParent()->args(), call->args()))
          addRenames(renames, slotsOf(&parameter), slotsOf(operand));
        addEdge(blockNumbers.lookup(call->getParent()), renames);
      }

    SmallPtrSet<const BasicBlock *, 8> seen;
    for (const BasicBlock *from : predecessors(block)) {
      if (!seen.insert(from).second)
        continue;
      SmallVector<Rename, 16> phis;
      for (const PHINode &phi : block->phis())
        addRenames(phis, slotsOf(&phi),
                   slotsOf(phi.getIncomingValueForBlock(from)));
      // After a call, what it returns: a call ends its block.
      auto *call =
          from->size() > 1
              ? dyn_cast<CallBase>(from->getTerminator()->getPrevNode())
              : nullptr;
      Callee kind = call ? classify(*call) : Callee::Intrinsic;
      if (kind == Callee::Intrinsic) {
        addEdge(blockNumbers.lookup(from), phis);
        continue;
      }
      if (kind != Callee::Defined) {
        renames.clear();
        addRenames(renames, slotsOf(call), {});
        renames.append(phis);
        addEdge(blockNumbers.lookup(from), renames);
        continue;
      }
      for (const ReturnInst *ret : returns.lookup(call->getCalledFunction())) {
        renames.clear();
        if (const Value *value = ret->getReturnValue())
          addRenames(renames, slotsOf(call), slotsOf(value));
        renames.append(phis);
        addEdge(blockNumbers.lookup(ret->getParent()), renames);
      }
    }
    into.numEdges = program.edges.size() - into.firstEdge;
  }
}

} // namespace ember::sim
