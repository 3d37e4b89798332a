//===- Instrument.cpp - Make LLVM code write a trace ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     bb7:                                  bb7:                    ; a loop's
//     head
//       %x = load float, ptr %p               if cursor >= limit:
//       ember_sim_flush() br i1 %c, ...                   =>    %o = %p -
//       windows[3].low
//                                             %w = %o < windows[3].span
//                                                    ? %o +
//                                                    windows[3].simulated :
//                                                    ember_sim_translate(3, %p)
//                                             %x = load float, ptr %p
//                                             cursor[0..1] = 7, %w ; cursor +=
//                                             2 br i1 %c, ...
//
// Addresses are checked before the access, so that code which leaves its
// arrays stops with a message and never harms the simulator's own memory.
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace ember::sim {

namespace {

class Instrumenter {
public:
  Instrumenter(Module &module, Program &program, const Numbering &numbering)
      : program(program), numbering(numbering), builder(module.getContext()),
        word(builder.getInt64Ty()), pointer(builder.getPtrTy()) {
    auto global = [&](StringRef name, Type *type) {
      return new GlobalVariable(module, type, false,
                                GlobalValue::ExternalLinkage,
                                Constant::getNullValue(type), name);
    };
    cursor = global(symbols::kCursor, pointer);
    limit = global(symbols::kLimit, pointer);
    window = StructType::get(word, word, word);
    windows = global(symbols::kWindows,
                     ArrayType::get(window, program.sites.size() + 1));
    Type *index = builder.getInt32Ty();
    flush = module.getOrInsertFunction(symbols::kFlush, builder.getVoidTy());
    translate =
        module.getOrInsertFunction(symbols::kTranslate, word, index, word);
    masked = module.getOrInsertFunction(symbols::kMasked,
                                        StructType::get(word, word), index,
                                        word, word, index);
    lane = module.getOrInsertFunction(symbols::kLane, word, index, word, index);
    division = module.getOrInsertFunction(symbols::kDivision,
                                          builder.getVoidTy(), index);
    unlikely = MDBuilder(module.getContext()).createUnlikelyBranchWeights();
  }

  void run() {
    collect();
    for (auto [number, block] : enumerate(numbering.blocks)) {
      Instruction *end = ends[number];
      SmallVector<Value *, 16> words = {
          builder.getInt64(record::make(record::BlockRecord, number))};
      for (unsigned site : sitesOf.lookup(block))
        addWords(site, words);
      assert(words.size() == 1u + program.blocks[number].words);
      write(words, end);
      if (tested.contains(block))
        testForFull(block);
    }
    for (BinaryOperator *operation : divisions)
      checkDivision(operation);
  }

private:
  /// Notes what is where before any block is split.
  void collect() {
    for (auto [number, instruction] : enumerate(numbering.sites))
      sitesOf[instruction->getParent()].push_back(number);
    for (BasicBlock *block : numbering.blocks) {
      Instruction *end = block->getTerminator();
      if (block->isEntryBlock())
        tested.insert(block);
      for (Instruction &instruction : *block) {
        if (instruction.isIntDivRem())
          divisions.push_back(cast<BinaryOperator>(&instruction));
        if (auto *call = dyn_cast<CallBase>(&instruction))
          if (classify(*call) != Callee::Intrinsic) {
            end = call;
            tested.insert(successors(block).begin(), successors(block).end());
          }
      }
      ends.push_back(end);
    }
    for (BasicBlock *block : numbering.blocks) {
      if (!block->isEntryBlock())
        continue;
      SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
      FindFunctionBackedges(*block->getParent(), edges);
      for (auto [from, to] : edges)
        tested.insert(const_cast<BasicBlock *>(to));
    }
  }

  Value *field(unsigned site, unsigned index) {
    return builder.CreateLoad(
        word, builder.CreateConstInBoundsGEP2_32(
                  window,
                  builder.CreateConstInBoundsGEP2_64(
                      ArrayType::get(window, program.sites.size() + 1), windows,
                      0, site),
                  0, index));
  }

  /// The simulated address of `address`, by the site's window if that fits.
  Value *check(unsigned site, Value *address, Instruction *before) {
    builder.SetInsertPoint(before);
    address = builder.CreatePtrToInt(address, word);
    Value *offset = builder.CreateSub(address, field(site, 0));
    Value *outside = builder.CreateICmpUGE(offset, field(site, 1));
    Value *fast = builder.CreateAdd(offset, field(site, 2));
    BasicBlock *from = builder.GetInsertBlock();
    Instruction *then = SplitBlockAndInsertIfThen(
        outside, before->getIterator(), false, unlikely);
    builder.SetInsertPoint(then);
    Value *slow =
        builder.CreateCall(translate, {builder.getInt32(site), address});
    builder.SetInsertPoint(before);
    PHINode *result = builder.CreatePHI(word, 2);
    result->addIncoming(fast, from);
    result->addIncoming(slow, then->getParent());
    // A phi stands first in its block; `before` is the first after it.
    result->moveBefore(before->getParent()->begin());
    return result;
  }

  void addWords(unsigned site, SmallVectorImpl<Value *> &words) {
    Instruction *access = numbering.sites[site];
    if (auto *load = dyn_cast<LoadInst>(access)) {
      words.push_back(check(site, load->getPointerOperand(), access));
      return;
    }
    if (auto *store = dyn_cast<StoreInst>(access)) {
      words.push_back(check(site, store->getPointerOperand(), access));
      if (isReleaseOrStronger(store->getOrdering()))
        words.push_back(asWord(store->getValueOperand(), access));
      return;
    }
    auto *call = cast<IntrinsicInst>(access);
    switch (call->getIntrinsicID()) {
    case Intrinsic::masked_load:
      addMasked(site, call->getArgOperand(0), call->getArgOperand(1),
                call->getType(), words);
      return;
    case Intrinsic::masked_store:
      addMasked(site, call->getArgOperand(1), call->getArgOperand(2),
                call->getArgOperand(0)->getType(), words);
      return;
    case Intrinsic::masked_gather:
      addLanes(site, call->getArgOperand(0), call->getArgOperand(1), words);
      return;
    case Intrinsic::masked_scatter:
      addLanes(site, call->getArgOperand(1), call->getArgOperand(2), words);
      return;
    case Intrinsic::prefetch:
      words.push_back(check(site, call->getArgOperand(0), access));
      return;
    default:
      llvm_unreachable("not a memory site");
    }
  }

  Value *asWord(Value *value, Instruction *before) {
    builder.SetInsertPoint(before);
    if (value->getType()->isPointerTy())
      return builder.CreatePtrToInt(value, word);
    if (value->getType()->isIntegerTy())
      return builder.CreateZExtOrTrunc(value, word);
    return builder.getInt64(0);
  }

  void addMasked(unsigned site, Value *address, Value *mask, Type *type,
                 SmallVectorImpl<Value *> &words) {
    Instruction *access = numbering.sites[site];
    if (constantPrefix(mask)) {
      words.push_back(check(site, address, access));
      return;
    }
    builder.SetInsertPoint(access);
    unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
    Value *bits = builder.CreateZExtOrTrunc(
        builder.CreateBitCast(mask, builder.getIntNTy(lanes)), word);
    unsigned laneBytes = divideCeil(type->getScalarSizeInBits(), 8);
    Value *both = builder.CreateCall(
        masked, {builder.getInt32(site), builder.CreatePtrToInt(address, word),
                 bits, builder.getInt32(laneBytes)});
    words.push_back(builder.CreateExtractValue(both, 0));
    words.push_back(builder.CreateExtractValue(both, 1));
  }

  void addLanes(unsigned site, Value *addresses, Value *mask,
                SmallVectorImpl<Value *> &words) {
    builder.SetInsertPoint(numbering.sites[site]);
    unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
    for (unsigned i = 0; i < lanes; ++i) {
      Value *address = builder.CreatePtrToInt(
          builder.CreateExtractElement(addresses, i), word);
      Value *on = builder.CreateZExt(builder.CreateExtractElement(mask, i),
                                     builder.getInt32Ty());
      words.push_back(
          builder.CreateCall(lane, {builder.getInt32(site), address, on}));
    }
  }

  void write(ArrayRef<Value *> words, Instruction *before) {
    builder.SetInsertPoint(before);
    Value *at = builder.CreateLoad(pointer, cursor);
    for (auto [index, value] : enumerate(words))
      builder.CreateStore(value,
                          builder.CreateConstInBoundsGEP1_64(word, at, index));
    builder.CreateStore(
        builder.CreateConstInBoundsGEP1_64(word, at, words.size()), cursor);
  }

  /// Stops the program before a division that would stop the simulator.
  void checkDivision(BinaryOperator *operation) {
    Value *divisor = operation->getOperand(1);
    if (auto *constant = dyn_cast<ConstantInt>(divisor))
      if (!constant->isZero() && !constant->isMinusOne())
        return;
    builder.SetInsertPoint(operation);
    Type *type = divisor->getType();
    Value *bad = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
    if (operation->getOpcode() == Instruction::SDiv ||
        operation->getOpcode() == Instruction::SRem) {
      APInt least = APInt::getSignedMinValue(type->getScalarSizeInBits());
      Value *overflows = builder.CreateAnd(
          builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)),
          builder.CreateICmpEQ(operation->getOperand(0),
                               ConstantInt::get(type, least)));
      bad = builder.CreateOr(bad, overflows);
    }
    if (type->isVectorTy())
      bad = builder.CreateOrReduce(bad);
    Instruction *then = SplitBlockAndInsertIfThen(bad, operation->getIterator(),
                                                  false, unlikely);
    builder.SetInsertPoint(then);
    builder.CreateCall(division, builder.getInt32(program.divisions.size()));
    program.divisions.push_back(
        ("function '" + userName(*operation->getFunction()) +
         "' divides by zero, or the least integer by -1" +
         describePlace(*operation))
            .str());
  }

  void testForFull(BasicBlock *block) {
    Instruction *first = &*block->getFirstInsertionPt();
    builder.SetInsertPoint(first);
    Value *full = builder.CreateICmpUGE(builder.CreateLoad(pointer, cursor),
                                        builder.CreateLoad(pointer, limit));
    Instruction *then =
        SplitBlockAndInsertIfThen(full, first->getIterator(), false, unlikely);
    builder.SetInsertPoint(then);
    builder.CreateCall(flush);
  }

  Program &program;
  const Numbering &numbering;
  IRBuilder<> builder;
  Type *word, *pointer;
  StructType *window;
  GlobalVariable *cursor, *limit, *windows;
  FunctionCallee flush, translate, masked, lane, division;
  MDNode *unlikely;
  DenseMap<const BasicBlock *, SmallVector<unsigned, 4>> sitesOf;
  SmallVector<Instruction *> ends;
  DenseSet<BasicBlock *> tested;
  SmallVector<BinaryOperator *> divisions;
};

} // namespace

std::string describePlace(const Instruction &instruction) {
  std::string text;
  raw_string_ostream os(text);
  if (const DebugLoc &location = instruction.getDebugLoc()) {
    SmallString<128> path = location->getDirectory();
    sys::path::append(path, location->getFilename());
    os << ", at " << path << ':' << location.getLine() << ':'
       << location.getCol();
    return text;
  }
  os << instruction;
  return (": " + StringRef(text).trim()).str();
}

StringRef userName(const Function &function) {
  // dlc-split says so of the parts of kernels.
  Attribute name = function.getFnAttribute("ember-function");
  return name.isValid() ? name.getValueAsString() : function.getName();
}

/// Lets functions find the stack variables by the pointer of the running core.
static void useFrame(Module &module) {
  GlobalVariable *locals = module.getNamedGlobal(symbols::kLocals);
  convertUsersOfConstantsToInstructions({locals});
  Type *pointer = locals->getType();
  auto *frame =
      new GlobalVariable(module, pointer, false, GlobalValue::ExternalLinkage,
                         Constant::getNullValue(pointer), symbols::kFrame);
  DenseMap<Function *, Value *> bases;
  for (Use &use : make_early_inc_range(locals->uses())) {
    Function *function = cast<Instruction>(use.getUser())->getFunction();
    Value *&base = bases[function];
    if (!base)
      base = IRBuilder<>(&*function->getEntryBlock().getFirstInsertionPt())
                 .CreateLoad(pointer, frame);
    use.set(base);
  }
  locals->eraseFromParent();
}

void instrument(Module &module, Program &program, const Numbering &numbering) {
  Instrumenter(module, program, numbering).run();
  useFrame(module);
}

} // namespace ember::sim
