//===- Prepare.cpp - Rewrite LLVM code into a form that can be timed ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     call void @llvm.memcpy(...)        loops of vector loads and stores
//     %a = alloca [64 x float]      =>   %a = gep @ember.sim.locals, 256
//     %x = call i64 @f()                 ... call, end of block
//     %y = add i64 %x, 1                 a new block: add ...
//
// Stack variables get fixed places, so that their simulated addresses do not
// depend on how the host lays out a frame; without recursion that is the same
// program. (`instrument` lets each core have its own.) Blocks end after each
// call, so that a block's record is complete before another function writes its
// own.
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

#include <functional>

using namespace llvm;

namespace ember::sim {

static Error failure(const Function &function, const Twine &message) {
  return createStringError("cannot time function '" + function.getName() +
                           "': " + message);
}

static std::string print(const Instruction &instruction) {
  std::string text;
  raw_string_ostream(text) << instruction;
  return StringRef(text).trim().str();
}

Callee classify(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || call.isInlineAsm())
    return Callee::Unsupported;
  if (callee->isIntrinsic())
    return Callee::Intrinsic;
  if (!callee->isDeclaration())
    return Callee::Defined;
  StringRef name = callee->getName();
  if (name == "ember_queue_wait")
    return Callee::Wait;
  if (name == "ember_fault" || name.starts_with("ember_au_") ||
      name == "ember_fork" || name == "ember_join" ||
      name == "_mlir_memref_to_llvm_alloc" ||
      name == "_mlir_memref_to_llvm_aligned_alloc" ||
      name == "_mlir_memref_to_llvm_free")
    return Callee::Runtime;
  return Callee::Unsupported;
}

//===----------------------------------------------------------------------===//
// memcpy, memset
//===----------------------------------------------------------------------===//

namespace {

/// Copies or fills `length` bytes: whole vectors in a loop, then the rest in
/// falling powers of two, each under a test of its bit of the length.
class BulkExpander {
public:
  BulkExpander(MemIntrinsic *bulk, unsigned vectorBytes)
      : bulk(bulk), vectorBytes(vectorBytes), length(bulk->getLength()),
        word(length->getType()) {}

  void expand() {
    if (auto *constant = dyn_cast<ConstantInt>(length))
      expandConstant(constant->getZExtValue());
    else
      expandDynamic();
    bulk->eraseFromParent();
  }

private:
  /// Straight-line code up to this many vectors; a loop beyond.
  static constexpr uint64_t kUnrolled = 8;

  void step(IRBuilder<> &builder, Value *offset, unsigned bytes) {
    Type *i8 = builder.getInt8Ty();
    Type *type = bytes > 8 ? cast<Type>(FixedVectorType::get(i8, bytes))
                           : builder.getIntNTy(bytes * 8);
    Value *to = builder.CreateGEP(i8, bulk->getRawDest(), offset);
    Value *value;
    if (auto *copy = dyn_cast<MemTransferInst>(bulk)) {
      Value *from = builder.CreateGEP(i8, copy->getRawSource(), offset);
      value = builder.CreateAlignedLoad(type, from, Align(1));
    } else {
      value = splat(builder, cast<MemSetInst>(bulk)->getValue(), type);
    }
    builder.CreateAlignedStore(value, to, Align(1));
  }

  /// The byte `value` in every byte of `type`.
  static Value *splat(IRBuilder<> &builder, Value *value, Type *type) {
    if (auto *vector = dyn_cast<FixedVectorType>(type))
      return builder.CreateVectorSplat(vector->getNumElements(), value);
    unsigned bits = type->getIntegerBitWidth();
    Constant *ones = ConstantInt::get(type->getContext(),
                                      APInt::getSplat(bits, APInt(8, 1)));
    return builder.CreateMul(builder.CreateZExt(value, type), ones);
  }

  /// Splits before the intrinsic and lets `fill` build a loop over
  /// [0, whole) in steps of a vector between the halves.
  void loop(Value *whole) {
    BasicBlock *before = bulk->getParent();
    BasicBlock *after = SplitBlock(before, bulk->getIterator());
    BasicBlock *body = BasicBlock::Create(before->getContext(), "bulk",
                                          before->getParent(), after);
    before->getTerminator()->eraseFromParent();
    IRBuilder<> builder(before);
    Constant *zero = ConstantInt::get(word, 0);
    builder.CreateCondBr(builder.CreateICmpNE(whole, zero), body, after);
    builder.SetInsertPoint(body);
    PHINode *offset = builder.CreatePHI(word, 2);
    offset->addIncoming(zero, before);
    step(builder, offset, vectorBytes);
    Value *next =
        builder.CreateAdd(offset, ConstantInt::get(word, vectorBytes));
    offset->addIncoming(next, body);
    builder.CreateCondBr(builder.CreateICmpULT(next, whole), body, after);
  }

  void expandConstant(uint64_t bytes) {
    uint64_t whole = bytes / vectorBytes * vectorBytes, done = 0;
    if (whole / vectorBytes > kUnrolled) {
      loop(ConstantInt::get(word, whole));
      done = whole;
    }
    IRBuilder<> builder(bulk);
    for (unsigned size = vectorBytes; size; size /= 2)
      for (; bytes - done >= size; done += size)
        step(builder, ConstantInt::get(word, done), size);
  }

  void expandDynamic() {
    IRBuilder<> builder(bulk);
    Value *whole = builder.CreateAnd(
        length, ConstantInt::get(word, -int64_t(vectorBytes)));
    loop(whole);
    Value *offset = whole;
    for (unsigned size = vectorBytes / 2; size; size /= 2) {
      builder.SetInsertPoint(bulk);
      Constant *bit = ConstantInt::get(word, size);
      Value *set = builder.CreateAnd(length, bit);
      Value *test = builder.CreateICmpNE(set, ConstantInt::get(word, 0));
      Instruction *then =
          SplitBlockAndInsertIfThen(test, bulk->getIterator(), false);
      builder.SetInsertPoint(then);
      step(builder, offset, size);
      builder.SetInsertPoint(bulk);
      offset = builder.CreateAdd(offset, set);
    }
  }

  MemIntrinsic *bulk;
  unsigned vectorBytes;
  Value *length;
  Type *word;
};

} // namespace

static void expandBulk(Function &function, unsigned vectorBytes) {
  SmallVector<MemIntrinsic *> bulks;
  for (Instruction &instruction : instructions(function))
    if (auto *bulk = dyn_cast<MemIntrinsic>(&instruction))
      bulks.push_back(bulk);
  TargetTransformInfo generic(function.getDataLayout());
  for (MemIntrinsic *bulk : bulks) {
    if (auto *move = dyn_cast<MemMoveInst>(bulk)) {
      // The direction depends on the addresses; LLVM's own expansion knows.
      if (expandMemMoveAsLoop(move, generic))
        move->eraseFromParent();
      continue;
    }
    BulkExpander(bulk, vectorBytes).expand();
  }
}

//===----------------------------------------------------------------------===//
// Stack variables
//===----------------------------------------------------------------------===//

/// Gives every stack variable a place from `offset` on.
static Error placeLocals(Function &function, GlobalVariable *locals,
                         uint64_t &offset) {
  const DataLayout &layout = function.getDataLayout();
  SmallVector<Instruction *> dead;
  SmallVector<AllocaInst *> variables;
  for (Instruction &instruction : instructions(function)) {
    if (auto *variable = dyn_cast<AllocaInst>(&instruction)) {
      variables.push_back(variable);
      continue;
    }
    auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (!intrinsic)
      continue;
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::stacksave:
      intrinsic->replaceAllUsesWith(
          Constant::getNullValue(intrinsic->getType()));
      [[fallthrough]];
    case Intrinsic::stackrestore:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
      dead.push_back(intrinsic);
      break;
    default:
      break;
    }
  }
  for (Instruction *instruction : dead)
    instruction->eraseFromParent();
  for (AllocaInst *variable : variables) {
    std::optional<TypeSize> size = variable->getAllocationSize(layout);
    if (!size || size->isScalable())
      return failure(function,
                     "a stack variable of variable size: " + print(*variable));
    offset = alignTo(offset, std::max(variable->getAlign(), Align(16)));
    IRBuilder<> builder(variable);
    Value *place =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), locals, offset);
    variable->replaceAllUsesWith(place);
    variable->eraseFromParent();
    offset += size->getFixedValue();
  }
  return Error::success();
}

/// Forgets promises of alignment: where one is broken, the host's code would
/// stop the simulator itself.
static void dropAlignment(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (!load->isAtomic())
        load->setAlignment(Align(1));
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (!store->isAtomic())
        store->setAlignment(Align(1));
    } else if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      for (unsigned i = 0; i < call->arg_size(); ++i)
        call->removeParamAttr(i, Attribute::Alignment);
    }
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Error checkInstruction(const Instruction &instruction) {
  const Function &function = *instruction.getFunction();
  if (isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(instruction))
    return failure(function, "an atomic operation other than load and store: " +
                                 print(instruction));
  if (instruction.isTerminator() &&
      !isa<BranchInst, SwitchInst, ReturnInst, UnreachableInst>(instruction))
    return failure(function, "control flow: " + print(instruction));
  if (auto *call = dyn_cast<CallBase>(&instruction))
    if (classify(*call) == Callee::Unsupported)
      return failure(function, "a call of a function that is neither defined "
                               "nor part of the runtime: " +
                                   print(instruction));
  return Error::success();
}

/// Recursion would need a set of slots for each activation.
static Error checkRecursion(Module &module) {
  SmallPtrSet<Function *, 8> done, open;
  std::function<Error(Function &)> visit = [&](Function &function) -> Error {
    if (done.contains(&function))
      return Error::success();
    if (!open.insert(&function).second)
      return failure(function, "it calls itself");
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (classify(*call) == Callee::Defined)
          if (Error error = visit(*call->getCalledFunction()))
            return error;
    done.insert(&function);
    return Error::success();
  };
  for (Function &function : module)
    if (!function.isDeclaration())
      if (Error error = visit(function))
        return error;
  return Error::success();
}

static void splitAfterCalls(Function &function) {
  SmallVector<CallBase *> calls;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      if (classify(*call) != Callee::Intrinsic)
        calls.push_back(call);
  for (CallBase *call : calls) {
    SplitBlock(call->getParent(), std::next(call->getIterator()));
    // A tail call could not return to the record that follows it.
    if (auto *plain = dyn_cast<CallInst>(call))
      plain->setTailCallKind(CallInst::TCK_NoTail);
  }
}

/// Makes the module's variables visible to look-ups by name.
static std::vector<ProgramVariable> exposeVariables(Module &module) {
  std::vector<ProgramVariable> variables;
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.hasInitializer() || variable.getName().starts_with("llvm."))
      continue;
    if (!variable.hasName())
      variable.setName("constant");
    variable.setLinkage(GlobalValue::ExternalLinkage);
    variable.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
    uint64_t bytes =
        module.getDataLayout().getTypeAllocSize(variable.getValueType());
    variables.push_back(
        {variable.getName().str(), bytes, !variable.isConstant()});
  }
  return variables;
}

Expected<ProgramVariables> prepare(Module &module, unsigned vectorBits) {
  Type *byte = Type::getInt8Ty(module.getContext());
  auto *locals = new GlobalVariable(module, ArrayType::get(byte, 0), false,
                                    GlobalValue::ExternalLinkage, nullptr,
                                    symbols::kLocals);
  ProgramVariables variables;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    // The host's code generator chooses its own instructions.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("prefer-vector-width");
    removeUnreachableBlocks(function);
    for (Instruction &instruction : instructions(function))
      if (Error error = checkInstruction(instruction))
        return error;
    expandBulk(function, vectorBits / 8);
    if (Error error = placeLocals(function, locals, variables.localBytes))
      return error;
    dropAlignment(function);
    splitAfterCalls(function);
  }
  if (Error error = checkRecursion(module))
    return error;
  variables.global = exposeVariables(module);
  return variables;
}

Error addEntry(Module &module, StringRef entry) {
  Function *function = module.getFunction(entry);
  if (!function || function->isDeclaration())
    return createStringError("the module does not define '" + entry + "'");
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  Function *enter = Function::Create(
      FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false),
      GlobalValue::ExternalLinkage, symbols::kEnter, module);
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", enter));
  SmallVector<Value *> arguments;
  auto word = [&](unsigned index) {
    return builder.CreateConstGEP1_64(builder.getInt64Ty(), enter->getArg(0),
                                      index);
  };
  for (Argument &argument : function->args()) {
    Type *type = argument.getType();
    if (!type->isSingleValueType() || type->isVectorTy() ||
        module.getDataLayout().getTypeSizeInBits(type) > 64)
      return failure(*function, "parameter " + Twine(argument.getArgNo()) +
                                    " is not a scalar of at most 64 bits");
    arguments.push_back(builder.CreateLoad(type, word(argument.getArgNo())));
  }
  Value *result = builder.CreateCall(function, arguments);
  if (!result->getType()->isVoidTy())
    builder.CreateStore(result, word(arguments.size()));
  builder.CreateRetVoid();
  return Error::success();
}

} // namespace ember::sim
