//===- MemoryOps.cpp - Count addresses, loads and stores as micro-ops -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Loads and stores compute `base + index * scale` themselves. A vector wider
// than the machine's is accessed in parts; gathers and scatters lane by lane.
// The order of the micro-ops that take trace words is the order in which
// Instrument.cpp writes them: by site, then by lane.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace ember::sim {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {

/// pointer = base + constant + sum of scale * index.
struct AddressParts {
  SmallMapVector<Value *, APInt, 4> variables;
  bool valid;

  AddressParts(const GetElementPtrInst &address, const DataLayout &layout) {
    unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
    APInt constant(bits, 0);
    valid = cast<GEPOperator>(address).collectOffset(layout, bits, variables,
                                                     constant);
  }
};

/// The largest shift of an index in a load's address.
constexpr uint64_t kMaxScale = 64;

} // namespace

/// True if `use` is the address of a load, store, prefetch or the like.
static bool isAddressUse(const Use &use) {
  const User *user = use.getUser();
  if (isa<LoadInst>(user))
    return true;
  if (isa<StoreInst>(user))
    return use.getOperandNo() == StoreInst::getPointerOperandIndex();
  auto *call = dyn_cast<IntrinsicInst>(user);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
  case Intrinsic::prefetch:
    return use.getOperandNo() == 0;
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return use.getOperandNo() == 1;
  default:
    return false;
  }
}

bool ProgramBuilder::isFolded(const GetElementPtrInst &address) const {
  AddressParts parts(address, layout);
  if (!parts.valid || parts.variables.size() > 1)
    return false;
  if (!parts.variables.empty()) {
    const APInt &scale = parts.variables.front().second;
    if (!scale.isPowerOf2() || scale.ugt(kMaxScale))
      return false;
    // One index register an access: the base may add constants only.
    auto *base = dyn_cast<GetElementPtrInst>(address.getPointerOperand());
    if (base && isFolded(*base) &&
        !AddressParts(*base, layout).variables.empty())
      return false;
  }
  return all_of(address.uses(), [&](const Use &use) {
    if (isAddressUse(use))
      return true;
    // A further constant offset may be folded on top.
    auto *user = dyn_cast<GetElementPtrInst>(use.getUser());
    return user && use.getOperandNo() == 0 && user->hasAllConstantIndices() &&
           isFolded(*user);
  });
}

Slots ProgramBuilder::addressSlots(const Value *pointer) const {
  auto *address = dyn_cast<GetElementPtrInst>(pointer);
  if (!address || !isFolded(*address))
    return {slotOf(pointer)};
  Slots result = addressSlots(address->getPointerOperand());
  for (const auto &[index, scale] : AddressParts(*address, layout).variables)
    result.push_back(slotOf(index));
  return result;
}

void ProgramBuilder::visitAddress(GetElementPtrInst &address) {
  if (isFolded(address))
    return;
  bool vector = address.getType()->isVectorTy();
  if (vector) {
    emitParts(address, OpClass::VectorAlu);
    return;
  }
  Slots base = addressSlots(address.getPointerOperand());
  if (address.hasAllZeroIndices() && base.size() == 1) {
    define(&address, base);
    return;
  }
  uint32_t sum = base.front();
  if (base.size() > 1)
    sum = emit(OpClass::IntegerAlu, base);
  AddressParts parts(address, layout);
  for (const auto &[index, scale] : parts.variables) {
    if (scale.isPowerOf2()) {
      // "add with shift" is cheap up to a shift of 4.
      sum = emit(scale.ule(16) ? OpClass::IntegerAlu : OpClass::IntegerShiftAdd,
                 {sum, slotOf(index)});
      continue;
    }
    sum = emit(OpClass::IntegerMul64, {sum, slotOf(index)});
  }
  if (parts.variables.empty() && !address.hasAllZeroIndices())
    sum = emit(OpClass::IntegerAlu, {sum});
  define(&address, {sum});
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Site &ProgramBuilder::addSite(Instruction &instruction, uint64_t bytes,
                              bool write) {
  Site site = {};
  site.routine = routineNumbers.lookup(instruction.getFunction());
  site.bytes = bytes;
  site.write = write;
  site.place = describePlace(instruction);
  program.sites.push_back(std::move(site));
  numbering.sites.push_back(&instruction);
  return program.sites.back();
}

std::optional<unsigned> constantPrefix(const Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  unsigned lanes = 0;
  bool ended = false;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Constant *bit = constant->getAggregateElement(lane);
    if (!bit || !isa<ConstantInt>(bit))
      return std::nullopt;
    bool on = bit->isOneValue();
    if (on && ended)
      return std::nullopt;
    ended |= !on;
    lanes += on;
  }
  // With no lane on there is no access to check.
  return lanes ? std::optional(lanes) : std::nullopt;
}

/// Makes `op` the access of one part of a vector, of which `bytes` are touched.
static void setAccess(MicroOp &op, MemoryUse use, unsigned part,
                      uint64_t partBytes, uint64_t bytes) {
  op.takesWords = part == 0;
  uint64_t offset = part * partBytes;
  if (offset >= bytes)
    return; // a part of which all lanes are off
  op.memory = use;
  op.offset = offset;
  op.bytes = std::min(partBytes, bytes - offset);
}

/// The bytes of a vector that an access with this mask touches, at most.
static uint64_t touchedBytes(uint64_t bytes, const Type *type,
                             std::optional<unsigned> prefix) {
  if (!prefix)
    return bytes;
  return bytes * *prefix / cast<FixedVectorType>(type)->getNumElements();
}

void ProgramBuilder::visitLoad(Instruction &load, Value *pointer, Value *mask) {
  Type *type = load.getType();
  auto prefix = mask ? constantPrefix(mask) : std::nullopt;
  bool masked = mask && !prefix;
  uint64_t all = layout.getTypeStoreSize(type);
  uint64_t bytes = touchedBytes(all, type, prefix);
  addSite(load, bytes, false);
  blockWords += masked ? 2 : 1;
  bool vector = type->isVectorTy() || type->isFloatingPointTy();
  Slots results;
  unsigned parts = numParts(type);
  for (unsigned part = 0; part < parts; ++part) {
    Slots sources = addressSlots(pointer);
    if (masked)
      sources.push_back(slotOf(mask));
    results.push_back(
        emit(vector ? OpClass::VectorLoad : OpClass::MemoryLoad, sources));
    setAccess(program.ops.back(),
              masked ? MemoryUse::MaskedLoad : MemoryUse::Load, part,
              divideCeil(all, parts), bytes);
  }
  define(&load, std::move(results));
}

void ProgramBuilder::visitStore(Instruction &store, Value *pointer,
                                Value *value, Value *mask, bool release) {
  Type *type = value->getType();
  auto prefix = mask ? constantPrefix(mask) : std::nullopt;
  bool masked = mask && !prefix;
  uint64_t all = layout.getTypeStoreSize(type);
  uint64_t bytes = touchedBytes(all, type, prefix);
  addSite(store, bytes, true);
  blockWords += masked || release ? 2 : 1;
  bool vector = type->isVectorTy() || type->isFloatingPointTy();
  unsigned parts = numParts(type);
  for (unsigned part = 0; part < parts; ++part) {
    Slots sources = addressSlots(pointer);
    sources.push_back(slotOf(value, part));
    if (masked)
      sources.push_back(slotOf(mask));
    MicroOp &op =
        emitSink(vector ? OpClass::VectorStore : OpClass::MemoryStore, sources);
    setAccess(op,
              masked    ? MemoryUse::MaskedStore
              : release ? MemoryUse::Release
                        : MemoryUse::Store,
              part, divideCeil(all, parts), bytes);
  }
}

/// masked.gather and masked.scatter: an access for each lane.
void ProgramBuilder::visitLanes(IntrinsicInst &call) {
  bool gather = call.getIntrinsicID() == Intrinsic::masked_gather;
  Value *pointers = call.getArgOperand(gather ? 0 : 1);
  Value *mask = call.getArgOperand(gather ? 1 : 2);
  auto *type = cast<FixedVectorType>(gather ? call.getType()
                                            : call.getArgOperand(0)->getType());
  unsigned lanes = type->getNumElements();
  uint64_t bytes = layout.getTypeStoreSize(type->getElementType());
  unsigned perPointerPart =
      lanesPerPart(cast<FixedVectorType>(pointers->getType()));
  addSite(call, bytes, !gather);
  blockWords += lanes;
  unsigned perPart = lanesPerPart(type);
  Slots results;
  SmallVector<uint32_t, 16> loaded;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Slots sources;
    auto *address = dyn_cast<GetElementPtrInst>(pointers);
    if (address && isFolded(*address)) {
      for (const Value *operand : address->operands())
        sources.push_back(slotOf(operand, lane / perPointerPart));
    } else {
      sources.push_back(slotOf(pointers, lane / perPointerPart));
    }
    sources.push_back(slotOf(mask));
    if (gather) {
      loaded.push_back(emit(OpClass::VectorLoad, sources));
    } else {
      sources.push_back(slotOf(call.getArgOperand(0), lane / perPart));
      emitSink(OpClass::VectorStore, sources);
    }
    MicroOp &op = program.ops.back();
    op.memory = gather ? MemoryUse::LaneLoad : MemoryUse::LaneStore;
    op.bytes = bytes;
    op.takesWords = true;
    if (gather && (lane % perPart == perPart - 1 || lane + 1 == lanes)) {
      results.push_back(merge(loaded));
      loaded.clear();
    }
  }
  if (gather)
    define(&call, std::move(results));
}

void ProgramBuilder::visitPrefetch(IntrinsicInst &call) {
  addSite(call, 1, false).mayMiss = true;
  blockWords += 1;
  MicroOp &op =
      emitSink(OpClass::PrefetchLoad, addressSlots(call.getArgOperand(0)));
  // Localities 2 and 1 are x86's T1 and T2, AArch64's PLDL2 and PLDL3.
  uint64_t locality = cast<ConstantInt>(call.getArgOperand(2))->getZExtValue();
  bool intoL2 = locality == 1 || locality == 2;
  op.memory = intoL2 ? MemoryUse::PrefetchL2 : MemoryUse::Prefetch;
  op.bytes = 1;
  op.takesWords = true;
}

} // namespace ember::sim
