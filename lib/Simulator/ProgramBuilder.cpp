//===- ProgramBuilder.cpp - Count LLVM instructions as micro-ops ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     %m = fmul contract <32 x float> %a, %b    -> nothing: part of the FMA
//     %s = fadd contract <32 x float> %m, %c    -> FpFma, FpFma (512-bit parts)
//     %p = getelementptr float, ptr %q, i64 %i  -> nothing: part of the load
//     %x = load float, ptr %p                   -> VectorLoad
//     %c = icmp eq i64 %i, %n                   -> nothing: part of the branch
//     br i1 %c, ...                             -> BranchDirect
//
// The aim is the count of operations a compiler for the modelled core would
// need. What only names a value anew costs nothing and shares the slots of its
// operand. Instructions whose cost is not known are errors, not guesses.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace ember::sim {

static Error unsupported(const Instruction &instruction) {
  std::string text;
  raw_string_ostream(text) << instruction;
  return createStringError(
      "cannot time function '" + instruction.getFunction()->getName() +
      "': no cost is known for: " + StringRef(text).trim());
}

/// By the names that dlc-split gives to a kernel's parts.
static Phase phaseOf(StringRef function) {
  if (function.ends_with("_access"))
    return Phase::Configure;
  return function.ends_with("_execute") ? Phase::Kernel : Phase::Host;
}

ProgramBuilder::ProgramBuilder(Module &module, unsigned vectorBits,
                               Numbering &numbering)
    : module(module), layout(module.getDataLayout()), vectorBits(vectorBits),
      numbering(numbering) {}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

unsigned ProgramBuilder::numParts(Type *type) const {
  if (type->isVoidTy() || type->isTokenTy() || type->isMetadataTy())
    return 0;
  if (type->isStructTy() || type->isArrayTy()) {
    unsigned parts = 0;
    unsigned count = type->isStructTy() ? type->getStructNumElements()
                                        : type->getArrayNumElements();
    for (unsigned i = 0; i < count; ++i)
      parts += numParts(type->isStructTy() ? type->getStructElementType(i)
                                           : type->getArrayElementType());
    return parts;
  }
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    // A mask lives in one register whatever the width of what it masks.
    if (vector->getElementType()->isIntegerTy(1))
      return 1;
    return std::max<uint64_t>(
        1,
        divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), vectorBits));
  }
  return divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 64);
}

unsigned ProgramBuilder::lanesPerPart(FixedVectorType *type) const {
  return divideCeil(type->getNumElements(), numParts(type));
}

Slots ProgramBuilder::newSlots(Type *type) {
  Slots result(numParts(type));
  for (uint32_t &slot : result)
    slot = program.numSlots++;
  return result;
}

Slots ProgramBuilder::slotsOf(const Value *value) const {
  auto it = slots.find(value);
  if (it != slots.end())
    return it->second;
  return Slots(numParts(value->getType()), 0);
}

uint32_t ProgramBuilder::slotOf(const Value *value, unsigned part) const {
  auto it = slots.find(value);
  if (it == slots.end() || it->second.empty())
    return 0;
  return it->second[std::min<size_t>(part, it->second.size() - 1)];
}

void ProgramBuilder::define(const Value *value, Slots valueSlots) {
  slots[value] = std::move(valueSlots);
}

unsigned ProgramBuilder::leafOffset(Type *type,
                                    ArrayRef<unsigned> indices) const {
  unsigned offset = 0;
  for (unsigned index : indices) {
    if (auto *structType = dyn_cast<StructType>(type)) {
      for (unsigned i = 0; i < index; ++i)
        offset += numParts(structType->getElementType(i));
      type = structType->getElementType(index);
    } else {
      type = type->getArrayElementType();
      offset += index * numParts(type);
    }
  }
  return offset;
}

//===----------------------------------------------------------------------===//
// Micro-ops
//===----------------------------------------------------------------------===//

MicroOp &ProgramBuilder::emitSink(OpClass opClass, ArrayRef<uint32_t> sources) {
  const OpClassInfo &cost = info(opClass);
  MicroOp op;
  op.opClass = opClass;
  op.pipe = cost.pipe;
  op.latency = cost.latency;
  op.interval = cost.interval;
  unsigned count = 0;
  for (uint32_t source : sources)
    if (source && count < MicroOp::kSources &&
        !is_contained(ArrayRef(op.source, count), source))
      op.source[count++] = source;
  program.ops.push_back(op);
  return program.ops.back();
}

uint32_t ProgramBuilder::emit(OpClass opClass, ArrayRef<uint32_t> sources) {
  MicroOp &op = emitSink(opClass, sources);
  op.destination = program.numSlots++;
  return op.destination;
}

void ProgramBuilder::emitParts(const Instruction &instruction,
                               OpClass opClass) {
  unsigned parts = numParts(instruction.getType());
  // A comparison of wide vectors takes an operation for each of their parts,
  // though the masks it makes are kept in one register.
  if (isa<CmpInst>(instruction))
    parts = numParts(instruction.getOperand(0)->getType());
  Slots results;
  for (unsigned part = 0; part < parts; ++part) {
    Slots sources;
    for (const Value *operand : instruction.operands())
      if (!isa<Function>(operand))
        sources.push_back(slotOf(operand, part));
    results.push_back(emit(opClass, sources));
  }
  define(&instruction, std::move(results));
}

void ProgramBuilder::scalarised(const Instruction &instruction,
                                OpClass opClass) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  if (!type)
    return emitParts(instruction, opClass);
  Slots results;
  unsigned perPart = lanesPerPart(type);
  for (unsigned part = 0; part < numParts(type); ++part) {
    uint32_t result = 0;
    for (unsigned lane = 0; lane < perPart; ++lane) {
      Slots operands;
      for (const Value *operand : instruction.operands())
        operands.push_back(
            emit(OpClass::VectorToInteger, {slotOf(operand, part)}));
      uint32_t value = emit(opClass, operands);
      result = emit(OpClass::IntegerToVector, {value, result});
    }
    results.push_back(result);
  }
  define(&instruction, std::move(results));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The product that `sum` (an fadd or fsub) takes in as a fused multiply-add.
static const BinaryOperator *fusedProduct(const BinaryOperator &sum) {
  if ((sum.getOpcode() != Instruction::FAdd &&
       sum.getOpcode() != Instruction::FSub) ||
      !sum.hasAllowContract())
    return nullptr;
  for (const Value *operand : sum.operands()) {
    auto *product = dyn_cast<BinaryOperator>(operand);
    if (product && product->getOpcode() == Instruction::FMul &&
        product->hasOneUse() && product->hasAllowContract())
      return product;
  }
  return nullptr;
}

static bool isDouble(const Type *type) {
  return type->getScalarType()->isDoubleTy();
}

Error ProgramBuilder::visitBinary(BinaryOperator &op) {
  bool vector = op.getType()->isVectorTy();
  bool wide = op.getType()->getScalarSizeInBits() > 32;
  switch (op.getOpcode()) {
  case Instruction::FMul:
    if (op.hasOneUse()) {
      auto *user = dyn_cast<BinaryOperator>(*op.user_begin());
      if (user && fusedProduct(*user) == &op)
        return Error::success();
    }
    emitParts(op, OpClass::FpMul);
    return Error::success();
  case Instruction::FAdd:
  case Instruction::FSub: {
    const BinaryOperator *product = fusedProduct(op);
    if (!product) {
      emitParts(op, OpClass::FpAdd);
      return Error::success();
    }
    const Value *addend =
        op.getOperand(0) == product ? op.getOperand(1) : op.getOperand(0);
    Slots results;
    for (unsigned part = 0; part < numParts(op.getType()); ++part)
      results.push_back(
          emit(OpClass::FpFma,
               {slotOf(product->getOperand(0), part),
                slotOf(product->getOperand(1), part), slotOf(addend, part)}));
    define(&op, std::move(results));
    return Error::success();
  }
  case Instruction::FDiv:
    emitParts(op, isDouble(op.getType()) ? OpClass::FpDiv64 : OpClass::FpDiv32);
    return Error::success();
  case Instruction::Mul:
    emitParts(op, vector ? OpClass::VectorMul
                  : wide ? OpClass::IntegerMul64
                         : OpClass::IntegerMul32);
    return Error::success();
  case Instruction::UDiv:
  case Instruction::SDiv:
    scalarised(op, wide ? OpClass::IntegerDiv64 : OpClass::IntegerDiv32);
    return Error::success();
  case Instruction::URem:
  case Instruction::SRem: {
    // The quotient, and a multiply-subtract.
    scalarised(op, wide ? OpClass::IntegerDiv64 : OpClass::IntegerDiv32);
    Slots results;
    for (uint32_t quotient : slotsOf(&op))
      results.push_back(emit(vector ? OpClass::VectorMul
                             : wide ? OpClass::IntegerMul64
                                    : OpClass::IntegerMul32,
                             {quotient}));
    define(&op, std::move(results));
    return Error::success();
  }
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    emitParts(op, vector ? OpClass::VectorShift : OpClass::IntegerAlu);
    return Error::success();
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    emitParts(op, vector ? OpClass::VectorAlu : OpClass::IntegerAlu);
    return Error::success();
  default:
    return unsupported(op);
  }
}

Error ProgramBuilder::visitCast(CastInst &cast) {
  Type *from = cast.getSrcTy(), *to = cast.getDestTy();
  bool vector = to->isVectorTy();
  switch (cast.getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast:
    define(&cast, slotsOf(cast.getOperand(0)));
    return Error::success();
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc: {
    // Scalars are extended by the operation that uses them.
    if (!vector) {
      Slots result = slotsOf(cast.getOperand(0));
      result.resize(numParts(to), result.empty() ? 0 : result.back());
      define(&cast, std::move(result));
      return Error::success();
    }
    // Each wide part comes from its share of a narrow one, and the reverse.
    unsigned fromParts = numParts(from), toParts = numParts(to);
    Slots results;
    for (unsigned part = 0; part < toParts; ++part) {
      SmallVector<uint32_t, 16> sources;
      if (toParts >= fromParts)
        sources.push_back(
            slotOf(cast.getOperand(0), part * fromParts / toParts));
      else
        for (unsigned i = part * fromParts / toParts;
             i < (part + 1) * fromParts / toParts; ++i)
          sources.push_back(slotOf(cast.getOperand(0), i));
      results.push_back(emit(OpClass::VectorPermute, {merge(sources)}));
    }
    define(&cast, std::move(results));
    return Error::success();
  }
  case Instruction::BitCast: {
    bool fromVector = from->isVectorTy() || from->isFloatingPointTy();
    bool toVector = vector || to->isFloatingPointTy();
    if (fromVector == toVector && numParts(from) == numParts(to)) {
      define(&cast, slotsOf(cast.getOperand(0)));
      return Error::success();
    }
    emitParts(cast,
              toVector ? OpClass::IntegerToVector : OpClass::VectorToInteger);
    return Error::success();
  }
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    // bfloat is the upper half of a float: widening is a shift.
    if (from->getScalarType()->isBFloatTy())
      emitParts(cast, OpClass::VectorShift);
    else
      emitParts(cast, vector ? OpClass::VectorConvert : OpClass::FpConvert);
    return Error::success();
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    emitParts(cast, vector ? OpClass::VectorConvert : OpClass::IntegerToFp);
    return Error::success();
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    emitParts(cast, vector ? OpClass::VectorConvert : OpClass::FpToInteger);
    return Error::success();
  default:
    return unsupported(cast);
  }
}

/// A comparison that only its block's own branch reads is done by the branch.
static bool isFusedWithBranch(const CmpInst &compare) {
  return isa<ICmpInst>(compare) && compare.hasOneUse() &&
         isa<BranchInst>(*compare.user_begin()) &&
         cast<Instruction>(*compare.user_begin())->getParent() ==
             compare.getParent();
}

void ProgramBuilder::visitCompare(CmpInst &compare) {
  if (isFusedWithBranch(compare))
    return;
  Type *type = compare.getOperand(0)->getType();
  emitParts(compare, type->isVectorTy()       ? OpClass::VectorAlu
                     : isa<FCmpInst>(compare) ? OpClass::FpCompare
                                              : OpClass::IntegerAlu);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Error ProgramBuilder::visit(Instruction &instruction) {
  Type *type = instruction.getType();
  bool vector = type->isVectorTy() || type->isFloatingPointTy();
  if (auto *op = dyn_cast<BinaryOperator>(&instruction))
    return visitBinary(*op);
  if (auto *cast = dyn_cast<CastInst>(&instruction))
    return visitCast(*cast);
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return visitIntrinsic(*call);
  if (auto *compare = dyn_cast<CmpInst>(&instruction)) {
    visitCompare(*compare);
    return Error::success();
  }
  switch (instruction.getOpcode()) {
  case Instruction::PHI:
    return Error::success(); // renamed on the edges
  case Instruction::FNeg:
    emitParts(instruction, OpClass::FpMove);
    return Error::success();
  case Instruction::Select:
    emitParts(instruction, type->isVectorTy() ? OpClass::VectorAlu
                           : vector           ? OpClass::FpMove
                                              : OpClass::IntegerAlu);
    return Error::success();
  case Instruction::Freeze:
    define(&instruction, slotsOf(instruction.getOperand(0)));
    return Error::success();
  case Instruction::GetElementPtr:
    visitAddress(cast<GetElementPtrInst>(instruction));
    return Error::success();
  case Instruction::Load: {
    auto &load = cast<LoadInst>(instruction);
    visitLoad(load, load.getPointerOperand(), nullptr);
    return Error::success();
  }
  case Instruction::Store: {
    auto &store = cast<StoreInst>(instruction);
    visitStore(store, store.getPointerOperand(), store.getValueOperand(),
               nullptr, isReleaseOrStronger(store.getOrdering()));
    return Error::success();
  }
  case Instruction::ExtractValue: {
    auto &extract = cast<ExtractValueInst>(instruction);
    const Value *aggregate = extract.getAggregateOperand();
    Slots all = slotsOf(aggregate);
    unsigned first = leafOffset(aggregate->getType(), extract.getIndices());
    define(&extract, Slots(ArrayRef(all).slice(first, numParts(type))));
    return Error::success();
  }
  case Instruction::InsertValue: {
    auto &insert = cast<InsertValueInst>(instruction);
    Slots all = slotsOf(insert.getAggregateOperand());
    Slots inserted = slotsOf(insert.getInsertedValueOperand());
    unsigned first = leafOffset(type, insert.getIndices());
    llvm::copy(inserted, all.begin() + first);
    define(&insert, std::move(all));
    return Error::success();
  }
  case Instruction::ShuffleVector:
    visitShuffle(cast<ShuffleVectorInst>(instruction));
    return Error::success();
  case Instruction::InsertElement:
    visitInsertElement(cast<InsertElementInst>(instruction));
    return Error::success();
  case Instruction::ExtractElement:
    visitExtractElement(cast<ExtractElementInst>(instruction));
    return Error::success();
  case Instruction::Call:
    // A call and its return are a branch; the runtime's work is not the
    // core's. What it returns is renamed on the edge after it.
    if (classify(cast<CallBase>(instruction)) == Callee::Defined)
      emitSink(OpClass::BranchDirect, {});
    define(&instruction, newSlots(type));
    return Error::success();
  default:
    return unsupported(instruction);
  }
}

/// A block that only waits for a queue.
static bool isCold(const BasicBlock *block) {
  auto *call = dyn_cast<CallBase>(&block->front());
  return call && classify(*call) == Callee::Wait;
}

void ProgramBuilder::visitTerminator(Instruction &terminator, Block &block) {
  block.terminator = Terminator::Plain;
  if (auto *branch = dyn_cast<BranchInst>(&terminator)) {
    if (branch->isUnconditional())
      return;
    Slots sources;
    auto *compare = dyn_cast<CmpInst>(branch->getCondition());
    if (compare && isFusedWithBranch(*compare))
      sources = {slotOf(compare->getOperand(0)),
                 slotOf(compare->getOperand(1))};
    else
      sources = {slotOf(branch->getCondition())};
    emitSink(OpClass::BranchDirect, sources);
    block.taken = blockNumbers.lookup(branch->getSuccessor(0));
    block.terminator =
        isCold(branch->getSuccessor(0)) || isCold(branch->getSuccessor(1))
            ? Terminator::Cold
            : Terminator::Conditional;
    return;
  }
  if (auto *choice = dyn_cast<SwitchInst>(&terminator)) {
    uint32_t inRange =
        emit(OpClass::IntegerAlu, {slotOf(choice->getCondition())});
    uint32_t target = emit(OpClass::TableLoad, {inRange});
    emitSink(OpClass::BranchIndirect, {target});
    block.terminator = Terminator::Indirect;
  }
}

Expected<Program> ProgramBuilder::build() {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    routineNumbers[&function] = program.routines.size();
    program.routines.push_back(
        {userName(function).str(), phaseOf(function.getName())});
    for (Argument &argument : function.args())
      define(&argument, newSlots(argument.getType()));
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order) {
      blockNumbers[block] = numbering.blocks.size();
      numbering.blocks.push_back(block);
      for (PHINode &phi : block->phis())
        define(&phi, newSlots(phi.getType()));
    }
  }
  for (BasicBlock *basicBlock : numbering.blocks) {
    Block block = {};
    block.firstOp = program.ops.size();
    block.routine = routineNumbers.lookup(basicBlock->getParent());
    block.phase = program.routines[block.routine].phase;
    blockWords = 0;
    for (Instruction &instruction : *basicBlock)
      if (!instruction.isTerminator())
        if (Error error = visit(instruction))
          return error;
    visitTerminator(*basicBlock->getTerminator(), block);
    block.numOps = program.ops.size() - block.firstOp;
    block.words = blockWords;
    program.wordsBetweenTests += 1 + blockWords;
    program.blocks.push_back(block);
  }
  buildEdges();
  return std::move(program);
}

Expected<Program> buildProgram(Module &module, unsigned vectorBits,
                               Numbering &numbering) {
  return ProgramBuilder(module, vectorBits, numbering).build();
}

} // namespace ember::sim
