//===- ExpandHalf.cpp - Convert f16 where the core cannot -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A core without instructions between f16 and f32 would call a library function
// for each element. Both directions take few integer operations, without a
// branch, on vectors as on scalars:
//
//   %f = fpext half %h to float
//     ==>
//   %n = shl (zext %h & 0x7fff), 13        ; exponent and fraction in place
//   %v = fmul (bitcast %n), 2^112          ; the exponent, also of subnormals
//   %s = 0x7f800000 | %n                   ; infinities and NaN
//   %f = select (%h is special), %s, %v, with the sign of %h
//
//===----------------------------------------------------------------------===//

#include "ExpandHalf.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace ember;

static bool hasConversions(const TargetMachine &machine, bool onVectors) {
  const MCSubtargetInfo &core = *machine.getMCSubtargetInfo();
  const Triple &triple = machine.getTargetTriple();
  if (triple.isX86())
    return core.checkFeatures("+f16c");
  if (triple.isRISCV())
    return core.checkFeatures(onVectors ? "+zvfhmin" : "+zfhmin");
  return triple.isAArch64();
}

namespace {
class HalfExpander {
public:
  explicit HalfExpander(CastInst &conversion)
      : conversion(conversion), b(&conversion) {}

  void expand() {
    Value *result = isa<FPExtInst>(conversion) ? widen() : narrow();
    conversion.replaceAllUsesWith(result);
    conversion.eraseFromParent();
  }

private:
  Type *like(Type *element) {
    return conversion.getType()->getWithNewType(element);
  }
  Value *bits(uint32_t value) {
    return ConstantInt::get(like(b.getInt32Ty()), value);
  }
  Value *toBits(Value *value) {
    return b.CreateBitCast(value, like(b.getInt32Ty()));
  }
  Value *toFloat(Value *value) {
    return b.CreateBitCast(value, like(b.getFloatTy()));
  }
  Value *widen();
  Value *narrow();

  CastInst &conversion;
  IRBuilder<> b;
};
} // namespace

Value *HalfExpander::widen() {
  Value *half = b.CreateZExt(
      b.CreateBitCast(conversion.getOperand(0), like(b.getInt16Ty())),
      like(b.getInt32Ty()));
  Value *magnitude = b.CreateAnd(half, bits(0x7fff));
  Value *inPlace = b.CreateShl(magnitude, bits(13));
  Value *power = toFloat(bits((127 + 127 - 15) << 23));
  Value *number = toBits(b.CreateFMul(toFloat(inPlace), power));
  Value *special = b.CreateOr(inPlace, bits(0xff << 23));
  Value *isSpecial = b.CreateICmpUGE(magnitude, bits(0x7c00));
  Value *sign = b.CreateShl(b.CreateAnd(half, bits(0x8000)), bits(16));
  return toFloat(b.CreateOr(b.CreateSelect(isSpecial, special, number), sign));
}

Value *HalfExpander::narrow() {
  Value *whole = toBits(conversion.getOperand(0));
  Value *sign = b.CreateAnd(whole, bits(0x80000000));
  Value *magnitude = b.CreateXor(whole, sign);

  // To nearest, ties to even. A carry out of the fraction goes into the
  // exponent, where it belongs: what is too large becomes infinity.
  Value *odd = b.CreateAnd(b.CreateLShr(magnitude, bits(13)), bits(1));
  Value *rounded =
      b.CreateAdd(magnitude, bits((unsigned(15 - 127) << 23) + 0xfff));
  Value *normal = b.CreateLShr(b.CreateAdd(rounded, odd), bits(13));

  // Below 2^-14 the addition rounds: an f32 near 1/2 has the precision of an
  // f16's subnormals.
  Value *half = bits(126 << 23);
  Value *sum = b.CreateFAdd(toFloat(magnitude), toFloat(half));
  Value *subnormal = b.CreateSub(toBits(sum), half);

  Value *isNaN = b.CreateICmpUGT(magnitude, bits(0xff << 23));
  Value *special = b.CreateSelect(isNaN, bits(0x7e00), bits(0x7c00));

  Value *isSubnormal = b.CreateICmpULT(magnitude, bits((127 - 14) << 23));
  Value *isSpecial = b.CreateICmpUGE(magnitude, bits((127 + 16) << 23));
  Value *result = b.CreateSelect(isSubnormal, subnormal, normal);
  result = b.CreateSelect(isSpecial, special, result);
  result = b.CreateOr(result, b.CreateLShr(sign, bits(16)));
  return b.CreateBitCast(b.CreateTrunc(result, like(b.getInt16Ty())),
                         conversion.getType());
}

void ember::expandHalfConversions(Module &module,
                                  const TargetMachine &machine) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (!isa<FPExtInst, FPTruncInst>(instruction))
        continue;
      auto &conversion = cast<CastInst>(instruction);
      Type *from = conversion.getSrcTy()->getScalarType();
      Type *to = conversion.getDestTy()->getScalarType();
      bool isBetween = (from->isHalfTy() && to->isFloatTy()) ||
                       (from->isFloatTy() && to->isHalfTy());
      if (isBetween &&
          !hasConversions(machine, conversion.getType()->isVectorTy()))
        HalfExpander(conversion).expand();
    }
}
