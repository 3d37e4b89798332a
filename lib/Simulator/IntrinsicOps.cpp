//===- IntrinsicOps.cpp - Count LLVM intrinsics as micro-ops --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

using namespace llvm;

namespace ember::sim {

Error ProgramBuilder::visitIntrinsic(IntrinsicInst &call) {
  Type *type = call.getType();
  bool vector = type->isVectorTy();
  // `count` dependent operations of one kind, for what takes a short sequence.
  auto sequence = [&](OpClass opClass, unsigned count) {
    emitParts(call, opClass);
    for (unsigned i = 1; i < count; ++i) {
      Slots results;
      for (uint32_t part : slotsOf(&call))
        results.push_back(emit(opClass, {part}));
      define(&call, std::move(results));
    }
  };
  auto integer = [&](unsigned scalarOps, unsigned vectorOps) {
    sequence(vector ? OpClass::VectorAlu : OpClass::IntegerAlu,
             vector ? vectorOps : scalarOps);
  };

  switch (call.getIntrinsicID()) {
  // Facts for the optimiser.
  case Intrinsic::assume:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_value:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::invariant_end:
  case Intrinsic::lifetime_end:
  case Intrinsic::lifetime_start:
  case Intrinsic::trap:
    return Error::success();

  case Intrinsic::fma:
  case Intrinsic::fmuladd:
    sequence(OpClass::FpFma, 1);
    return Error::success();
  case Intrinsic::maximum:
  case Intrinsic::maximumnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::minimumnum:
  case Intrinsic::minnum:
    sequence(OpClass::FpMinMax, 1);
    return Error::success();
  case Intrinsic::copysign:
  case Intrinsic::fabs:
    sequence(OpClass::FpMove, 1);
    return Error::success();
  case Intrinsic::sqrt:
    sequence(type->getScalarType()->isDoubleTy() ? OpClass::FpSqrt64
                                                 : OpClass::FpSqrt32,
             1);
    return Error::success();
  case Intrinsic::ceil:
  case Intrinsic::floor:
  case Intrinsic::nearbyint:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::trunc:
    sequence(OpClass::FpRound, 1);
    return Error::success();
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
    sequence(vector ? OpClass::VectorConvert : OpClass::FpToInteger, 1);
    return Error::success();

  // A comparison and a select on scalars.
  case Intrinsic::abs:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::sadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::usub_sat:
    integer(2, 1);
    return Error::success();
  // Three-way comparisons: two and a select of selects.
  case Intrinsic::scmp:
  case Intrinsic::ucmp:
    integer(3, 3);
    return Error::success();
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::ctlz:
    integer(1, 1);
    return Error::success();
  case Intrinsic::cttz: // reversed, then counted from the other end
    integer(2, 2);
    return Error::success();
  case Intrinsic::ctpop: // bytes counted and added, in a vector register
    if (vector)
      sequence(OpClass::VectorAlu, 2);
    else
      sequence(OpClass::VectorAlu, 4);
    return Error::success();
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    integer(1, 3);
    return Error::success();
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::usub_with_overflow: {
    uint32_t result =
        emit(OpClass::IntegerAlu,
             {slotOf(call.getArgOperand(0)), slotOf(call.getArgOperand(1))});
    define(&call, {result, result});
    return Error::success();
  }
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow: {
    Slots operands = {slotOf(call.getArgOperand(0)),
                      slotOf(call.getArgOperand(1))};
    uint32_t low = emit(OpClass::IntegerMul64, operands);
    uint32_t high = emit(OpClass::IntegerMul64, operands);
    define(&call, {low, emit(OpClass::IntegerAlu, {low, high})});
    return Error::success();
  }

  case Intrinsic::get_active_lane_mask:
    sequence(OpClass::VectorAlu, 1);
    return Error::success();
  case Intrinsic::masked_load:
    visitLoad(call, call.getArgOperand(0), call.getArgOperand(1));
    return Error::success();
  case Intrinsic::masked_store:
    visitStore(call, call.getArgOperand(1), call.getArgOperand(0),
               call.getArgOperand(2), false);
    return Error::success();
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
    visitLanes(call);
    return Error::success();
  case Intrinsic::prefetch:
    visitPrefetch(call);
    return Error::success();

  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmul: {
    OpClass opClass = call.getIntrinsicID() == Intrinsic::vector_reduce_fadd
                          ? OpClass::FpAdd
                          : OpClass::FpMul;
    if (call.hasAllowReassoc())
      visitReduction(call, opClass);
    else
      visitOrderedReduction(call, opClass);
    return Error::success();
  }
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fminimum:
    visitReduction(call, OpClass::FpMinMax);
    return Error::success();
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_xor:
    visitReduction(call, OpClass::VectorAlu);
    return Error::success();
  case Intrinsic::vector_reduce_mul:
    visitReduction(call, OpClass::VectorMul);
    return Error::success();
  default: {
    std::string name = call.getCalledFunction()->getName().str();
    return createStringError(
        "cannot time function '" + call.getFunction()->getName() +
        "': no cost is known for intrinsic '" + name + "'");
  }
  }
}

} // namespace ember::sim
