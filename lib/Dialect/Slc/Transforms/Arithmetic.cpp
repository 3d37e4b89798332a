//===- Arithmetic.cpp - slc.alu_stream as arith ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/Transforms/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ember::slc;

static arith::CmpIPredicate getPredicate(AluOpcode opcode) {
  switch (opcode) {
  case AluOpcode::Eq:
    return arith::CmpIPredicate::eq;
  case AluOpcode::Ne:
    return arith::CmpIPredicate::ne;
  case AluOpcode::Slt:
    return arith::CmpIPredicate::slt;
  case AluOpcode::Sle:
    return arith::CmpIPredicate::sle;
  case AluOpcode::Sgt:
    return arith::CmpIPredicate::sgt;
  case AluOpcode::Sge:
    return arith::CmpIPredicate::sge;
  case AluOpcode::Ult:
    return arith::CmpIPredicate::ult;
  case AluOpcode::Ule:
    return arith::CmpIPredicate::ule;
  case AluOpcode::Ugt:
    return arith::CmpIPredicate::ugt;
  case AluOpcode::Uge:
    return arith::CmpIPredicate::uge;
  default:
    llvm_unreachable("not a comparison");
  }
}

Value ember::slc::createArithmetic(OpBuilder &builder, AluStreamOp alu,
                                   ValueRange v) {
  Location loc = alu.getLoc();
  Type type = cast<slc::StreamType>(alu.getStream().getType()).getElementType();
  switch (alu.getOpcode()) {
  case AluOpcode::Add:
    return arith::AddIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::Sub:
    return arith::SubIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::Mul:
    return arith::MulIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::Min:
    return arith::MinSIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::Max:
    return arith::MaxSIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::And:
    return arith::AndIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::Or:
    return arith::OrIOp::create(builder, loc, v[0], v[1]);
  case AluOpcode::Select:
    return arith::SelectOp::create(builder, loc, v[0], v[1], v[2]);
  case AluOpcode::IndexCast:
    return arith::IndexCastOp::create(builder, loc, type, v[0]);
  case AluOpcode::ExtSI:
    return arith::ExtSIOp::create(builder, loc, type, v[0]);
  case AluOpcode::ExtUI:
    return arith::ExtUIOp::create(builder, loc, type, v[0]);
  case AluOpcode::Trunc:
    return arith::TruncIOp::create(builder, loc, type, v[0]);
  default:
    return arith::CmpIOp::create(builder, loc, getPredicate(alu.getOpcode()),
                                 v[0], v[1]);
  }
}
