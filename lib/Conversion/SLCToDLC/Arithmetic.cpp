//===- Arithmetic.cpp - slc.alu_stream as arith ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember;

static arith::CmpIPredicate getPredicate(slc::AluOpcode opcode) {
  switch (opcode) {
  case slc::AluOpcode::Eq:
    return arith::CmpIPredicate::eq;
  case slc::AluOpcode::Ne:
    return arith::CmpIPredicate::ne;
  case slc::AluOpcode::Slt:
    return arith::CmpIPredicate::slt;
  case slc::AluOpcode::Sle:
    return arith::CmpIPredicate::sle;
  case slc::AluOpcode::Sgt:
    return arith::CmpIPredicate::sgt;
  case slc::AluOpcode::Sge:
    return arith::CmpIPredicate::sge;
  case slc::AluOpcode::Ult:
    return arith::CmpIPredicate::ult;
  case slc::AluOpcode::Ule:
    return arith::CmpIPredicate::ule;
  case slc::AluOpcode::Ugt:
    return arith::CmpIPredicate::ugt;
  case slc::AluOpcode::Uge:
    return arith::CmpIPredicate::uge;
  default:
    llvm_unreachable("not a comparison");
  }
}

Value ember::emitAlu(OpBuilder &builder, slc::AluStreamOp alu, ValueRange v) {
  Location loc = alu.getLoc();
  Type type = cast<slc::StreamType>(alu.getStream().getType()).getElementType();
  switch (alu.getOpcode()) {
  case slc::AluOpcode::Add:
    return arith::AddIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::Sub:
    return arith::SubIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::Mul:
    return arith::MulIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::Min:
    return arith::MinSIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::Max:
    return arith::MaxSIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::And:
    return arith::AndIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::Or:
    return arith::OrIOp::create(builder, loc, v[0], v[1]);
  case slc::AluOpcode::Select:
    return arith::SelectOp::create(builder, loc, v[0], v[1], v[2]);
  case slc::AluOpcode::IndexCast:
    return arith::IndexCastOp::create(builder, loc, type, v[0]);
  case slc::AluOpcode::ExtSI:
    return arith::ExtSIOp::create(builder, loc, type, v[0]);
  case slc::AluOpcode::ExtUI:
    return arith::ExtUIOp::create(builder, loc, type, v[0]);
  case slc::AluOpcode::Trunc:
    return arith::TruncIOp::create(builder, loc, type, v[0]);
  default:
    return arith::CmpIOp::create(builder, loc, getPredicate(alu.getOpcode()),
                                 v[0], v[1]);
  }
}
