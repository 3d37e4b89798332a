//===- ReduceAngle.cpp - Angles modulo a quarter turn ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Up to 2^20, pi/2 is taken in three parts so short that their products with
// the count of quarter turns are exact (Cody and Waite):
//
//   %k    = round(%angle * 2/pi)
//   %rest = ((%angle - %k * high) - %k * middle) - %k * low
//
// Beyond that, m * 2^e, of the bits of 2/pi those count that do not make whole
// turns of it: a window of 128 bits, times m, gives the fraction of a turn in
// 64 bits (M. Payne and R. Hanek, Radian reduction for trigonometric functions,
// SIGNUM Newsletter 18, 1983). This runs only if a lane asks for it.
//
//===----------------------------------------------------------------------===//

#include "ReduceAngle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace ember;

/// From here on angles are reduced in integers.
static constexpr double kLarge = 0x1p20;

/// 64 zeros and the 1152 bits of 2/pi behind the binary point.
static constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08};

static Value createSplat(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

/// The table above as a constant of the module.
static Value getTable(ImplicitLocOpBuilder &b) {
  constexpr StringLiteral name = "ember_two_over_pi";
  auto type = MemRefType::get({std::size(kTwoOverPi)}, b.getI64Type());
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto values = DenseElementsAttr::get(
        RankedTensorType::get(type.getShape(), type.getElementType()),
        ArrayRef(kTwoOverPi));
    memref::GlobalOp::create(b, name, b.getStringAttr("private"), type, values,
                             /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  return memref::GetGlobalOp::create(b, type, name);
}

/// A finite angle of `kLarge` or more in magnitude, less whole turns.
static Value dropTurns(ImplicitLocOpBuilder &b, Value angle) {
  Type type = b.getI64Type();
  auto word = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, IntegerAttr::get(type, value));
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  Value bits = arith::BitcastOp::create(b, type, angle);
  Value exponent = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, word(52)), word(0x7ff));
  Value fraction = arith::AndIOp::create(b, bits, word((1ull << 52) - 1));
  Value whole = arith::OrIOp::create(b, fraction, word(1ull << 52));

  // The angle is whole * 2^e, e = exponent - 1075, and a turn is 4 quarters, so
  // the first e - 2 bits of 2/pi make whole turns; 64 zeros precede them.
  Value first = arith::SubIOp::create(b, exponent, word(1075 + 2 - 64));
  Value shift = arith::AndIOp::create(b, first, word(63));
  Value back = arith::SubIOp::create(b, word(63), shift);
  Value table = getTable(b);
  Value at = arith::IndexCastOp::create(
      b, b.getIndexType(), arith::ShRUIOp::create(b, first, word(6)));
  auto load = [&](int64_t offset) -> Value {
    Value index =
        arith::AddIOp::create(b, at, arith::ConstantIndexOp::create(b, offset));
    return memref::LoadOp::create(b, table, index);
  };
  auto join = [&](Value high, Value low) -> Value {
    Value carried = arith::ShRUIOp::create(
        b, arith::ShRUIOp::create(b, low, word(1)), back);
    return arith::OrIOp::create(b, arith::ShLIOp::create(b, high, shift),
                                carried);
  };
  Value words[] = {load(0), load(1), load(2)};
  Value high = join(words[0], words[1]), low = join(words[1], words[2]);

  // The turn's fraction, -1/2 to 1/2, in units of 2^-64.
  Value upper = arith::MulIOp::create(b, whole, high);
  Value lower = arith::MulUIExtendedOp::create(b, whole, low).getHigh();
  Value turn = arith::SIToFPOp::create(b, b.getF64Type(),
                                       arith::AddIOp::create(b, upper, lower));
  Value radians = arith::MulFOp::create(b, turn, number(2 * M_PI * 0x1p-64));
  Value sign = math::CopySignOp::create(b, number(1), angle);
  return arith::MulFOp::create(b, radians, sign);
}

/// `angle`, less whole turns if it is large.
static Value dropTurnsIfLarge(ImplicitLocOpBuilder &b, Value angle,
                              Value isLarge) {
  auto vector = dyn_cast<VectorType>(angle.getType());
  Value any = isLarge;
  if (vector)
    any = vector::ReductionOp::create(b, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(b, angle.getType(), any,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, angle);
  b.setInsertionPointToStart(branch.thenBlock());
  Value smaller;
  if (vector) {
    auto lanes = scf::ForOp::create(
        b, arith::ConstantIndexOp::create(b, 0),
        arith::ConstantIndexOp::create(b, vector.getNumElements()),
        arith::ConstantIndexOp::create(b, 1), angle);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(lanes.getBody());
    Value lane = lanes.getInductionVar();
    Value reduced =
        dropTurnsIfLarge(b, vector::ExtractOp::create(b, angle, lane),
                         vector::ExtractOp::create(b, isLarge, lane));
    scf::YieldOp::create(
        b, vector::InsertOp::create(b, reduced, lanes.getRegionIterArg(0), lane)
               .getResult());
    smaller = lanes.getResult(0);
  } else {
    smaller = dropTurns(b, angle);
  }
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, smaller);
  return branch.getResult(0);
}

ReducedAngle ember::reduceAngle(ImplicitLocOpBuilder &b, Value angle) {
  Type type = angle.getType();
  auto number = [&](double value) {
    return createSplat(b, type, b.getF64FloatAttr(value));
  };
  Value magnitude = math::AbsFOp::create(b, angle);
  Value isLarge = arith::AndIOp::create(
      b,
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, magnitude,
                            number(kLarge)),
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude,
                            number(std::numeric_limits<double>::infinity())));
  angle = dropTurnsIfLarge(b, angle, isLarge);

  // Added to 1.5 * 2^52 a number is rounded to an integer, which stands in the
  // last bits.
  Value rounder = number(0x1.8p52);
  Value shifted = arith::AddFOp::create(
      b, arith::MulFOp::create(b, angle, number(0x1.45f306dc9c883p-1)),
      rounder);
  Value count = arith::SubFOp::create(b, shifted, rounder);
  Value rest = angle;
  for (double part :
       {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69})
    rest = arith::SubFOp::create(b, rest,
                                 arith::MulFOp::create(b, count, number(part)));
  Type bits = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  return {rest, arith::BitcastOp::create(b, bits, shifted)};
}
