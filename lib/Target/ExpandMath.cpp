//===- ExpandMath.cpp - Functions of math as arithmetic -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A core calls no library function for an element. exp, sin and cos become
// polynomials here, of f32 and f64, on vectors as on scalars:
//
//   %y = math.exp %x : vector<16xf32>
//     ==>
//   %n = round(%x / ln 2)
//   %r = %x - %n * ln 2                              ; |r| <= ln 2 / 2
//   %p = 1 + r + r^2 * (c0 + c1 * r + ...)           ; e^r
//   %y = %p * 2^(n/2) * 2^(n - n/2)                  ; rounds once, at the end
//
// and sin and cos polynomials of the angle less a multiple of pi/2
// (ReduceAngle.h), chosen and negated by the quadrant.
//
//   | function | within                                           |
//   | exp      | 1 unit in the last place                         |
//   | sin, cos | 1.25 * 2^-24 (f32) or 1.25 * 2^-51 (f64)         |
//
// NaN gives NaN, and so does sin or cos of an infinity; e^x overflows to
// infinity and underflows, through subnormal numbers, to 0. The polynomials
// have the least greatest error on their interval (Remez' algorithm). Other
// functions of f32, and all of narrower types, which are computed in f32, take
// MLIR's approximations.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "ReduceAngle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

using namespace mlir;
using namespace ember;

namespace {

/// What differs between the types.
struct Constants {
  unsigned fractionBits, bias;
  /// Beyond these e^x is infinite or rounds to 0.
  double expUpper, expLower;
  /// ln 2 in two parts; products of the first with exponents are exact.
  double ln2High, ln2Low;
  /// (e^r - 1 - r) / r^2, (sin r - r) / r^3 of r^2, (cos r - 1) / r^2 of r^2.
  ArrayRef<double> exp, sin, cos;
};

constexpr double kExp32[] = {0.499999930516941584, 0.166665147944562261,
                             0.0416684564061944054, 0.0083694186445340698,
                             0.00138131697285962061};
constexpr double kSin32[] = {-0.166666666423650917, 0.00833332908357493757,
                             -0.000198391803703115222, 2.71658310301118781e-6};
constexpr double kCos32[] = {-0.499999997331728909, 0.041666620001919397,
                             -0.00138865941379805036, 0.0000243714705608307637};
const Constants k32 = {23,     127,    89,    -104, 0x1.63p-1, -0x1.bd0106p-13,
                       kExp32, kSin32, kCos32};

constexpr double kExp64[] = {0.500000000000001128,     0.166666666666666753,
                             0.0416666666665101226,    0.00833333333332129468,
                             0.00138888889514111652,   0.000198412698893517795,
                             0.0000248014833047849036, 2.75572392445155142e-6,
                             2.76341565675563608e-7,   2.51112039572662505e-8};
constexpr double kSin64[] = {-0.166666666666666391,    0.0083333333333226627,
                             -0.000198412698292340348, 2.75573133134497911e-6,
                             -2.50506795436103522e-8,  1.58914571929746169e-10};
constexpr double kCos64[] = {-0.499999999999999997,   0.0416666666666665007,
                             -0.00138888888888633089, 0.0000248015872839863195,
                             -2.75573129437986515e-7, 2.08755466463422376e-9,
                             -1.13510359234489139e-11};
const Constants k64 = {
    52,     1023,   710,   -746, 0x1.62e42fefa4000p-1, -1.7239444525614835e-13,
    kExp64, kSin64, kCos64};

/// Expands one operation.
class Expander {
public:
  explicit Expander(Operation *op)
      : op(op), b(op->getLoc(), op), type(op->getResult(0).getType()),
        element(cast<FloatType>(getElementTypeOrSelf(type))),
        constants(element.isF32() ? k32 : k64) {}

  void expand() {
    Value operand = op->getOperand(0);
    Value result =
        isa<math::ExpOp>(op) ? expandExp(operand) : expandSinOrCos(operand);
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
  }

private:
  Type like(Type elementType) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(elementType)) : elementType;
  }
  Type getBitsType() { return b.getIntegerType(element.getWidth()); }

  Value splat(TypedAttr value) {
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector.clone(value.getType()),
                                     Attribute(value));
    return arith::ConstantOp::create(b, value);
  }
  Value number(double value) { return splat(b.getFloatAttr(element, value)); }
  Value integer(int64_t value) {
    return splat(b.getIntegerAttr(getBitsType(), value));
  }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, like(getBitsType()), x);
  }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }

  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = add(mul(result, x), number(coefficient));
    return result;
  }

  /// 2^n of an integer that leaves it a normal number.
  Value powerOf2(Value n) {
    Value biased = arith::AddIOp::create(b, n, integer(constants.bias));
    return fromBits(
        arith::ShLIOp::create(b, biased, integer(constants.fractionBits)));
  }

  Value expandExp(Value x);
  Value expandSinOrCos(Value x);

  Operation *op;
  ImplicitLocOpBuilder b;
  Type type;
  FloatType element;
  const Constants &constants;
};

} // namespace

Value Expander::expandExp(Value x) {
  // Unordered, so that NaN stays.
  auto bound = [&](arith::CmpFPredicate inside, double limit) {
    Value bounded = number(limit);
    x = arith::SelectOp::create(b, arith::CmpFOp::create(b, inside, x, bounded),
                                x, bounded);
  };
  bound(arith::CmpFPredicate::ULE, constants.expUpper);
  bound(arith::CmpFPredicate::UGE, constants.expLower);

  // Added to 1.5 * 2^fractionBits a number is rounded to an integer, which
  // stands in the last bits.
  Value rounder = number(std::ldexp(1.5, constants.fractionBits));
  Value shifted = add(mul(x, number(M_LOG2E)), rounder);
  Value n = arith::SubFOp::create(b, shifted, rounder);
  Value r = add(mul(n, number(-constants.ln2High)), x);
  r = add(mul(n, number(-constants.ln2Low)), r);
  Value rest = mul(mul(r, r), polynomial(r, constants.exp));
  Value power = add(number(1), add(r, rest));

  Value count = arith::SubIOp::create(b, toBits(shifted), toBits(rounder));
  Value half = arith::ShRSIOp::create(b, count, integer(1));
  Value otherHalf = arith::SubIOp::create(b, count, half);
  return mul(mul(power, powerOf2(half)), powerOf2(otherHalf));
}

Value Expander::expandSinOrCos(Value x) {
  if (element.isF32())
    x = arith::ExtFOp::create(b, like(b.getF64Type()), x);
  auto [r, quadrant] = reduceAngle(b, x);
  if (element.isF32()) {
    r = arith::TruncFOp::create(b, type, r);
    quadrant = arith::TruncIOp::create(b, like(b.getI32Type()), quadrant);
  }
  if (isa<math::CosOp>(op))
    quadrant = arith::AddIOp::create(b, quadrant, integer(1));

  Value square = mul(r, r);
  Value sin = add(mul(mul(r, square), polynomial(square, constants.sin)), r);
  Value cos = add(mul(square, polynomial(square, constants.cos)), number(1));
  Value isOdd = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, quadrant, integer(1)), integer(0));
  Value value = arith::SelectOp::create(b, isOdd, cos, sin);
  // Two quadrants on, the sign is the other one.
  Value sign =
      arith::ShLIOp::create(b, arith::AndIOp::create(b, quadrant, integer(2)),
                            integer(element.getWidth() - 2));
  return fromBits(arith::XOrIOp::create(b, toBits(value), sign));
}

static bool isExpandedHere(StringRef name) {
  return name == math::ExpOp::getOperationName() ||
         name == math::SinOp::getOperationName() ||
         name == math::CosOp::getOperationName();
}

namespace {

struct ExpandMath : PassWrapper<ExpandMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMath)

  StringRef getArgument() const final { return "ember-expand-math"; }

  void getDependentDialects(DialectRegistry &registry) const final {
    registry
        .insert<arith::ArithDialect, math::MathDialect, memref::MemRefDialect,
                scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(
        patterns, [](StringRef name) { return !isExpandedHere(name); });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();

    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isExpandedHere(op->getName().getStringRef()) &&
          isa<Float32Type, Float64Type>(
              getElementTypeOrSelf(op->getResult(0).getType())))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      Expander(op).expand();
  }
};

} // namespace

std::unique_ptr<Pass> ember::createExpandMathPass() {
  return std::make_unique<ExpandMath>();
}
