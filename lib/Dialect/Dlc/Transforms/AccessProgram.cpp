//===- AccessProgram.cpp - Code that programs the access unit -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each operation of the access side becomes one call of the run-time ABI
// (ember/Runtime/ABI.h), which names its result by a number:
//
//     dlc.loop @elems %p = %lo to %hi step %c1 until {
//       %i = dlc.mem %indices[%p] : memref<?xi64> -> i64
//       dlc.push data, %i : i64
//     }
//
//     call @ember_au_loop(ctx, 4, 2, 3, 1, 2)               // %p: 4; tokens: 2
//     call @ember_au_mem(ctx, 5, indices, 8, 0, 1, 1)       // %i: 5; i64
//     call @ember_au_dim(ctx, 4, size, 8)
//     call @ember_au_push(ctx, 0, 5, 8)
//     call @ember_au_end(ctx)
//
//===----------------------------------------------------------------------===//

#include "AccessProgram.h"

#include "ember/Dialect/Slc/IR/Slc.h"
#include "ember/Runtime/ABI.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {

/// A buffer as the access unit sees it: an address, sizes in elements and
/// strides in bytes.
struct Buffer {
  Value base;
  SmallVector<Value> sizes, strides;
};

/// An operation of arith as one of the access unit.
struct AluOperation {
  int32_t opcode;
  /// The value whose type is the width it works at.
  Value width;
};

class ProgramEmitter {
public:
  ProgramEmitter(KernelOp kernel, StringRef launcher, func::FuncOp function)
      : kernel(kernel), launcher(launcher), function(function),
        builder(OpBuilder::atBlockEnd(&function.getBody().front())),
        context(function.getArgument(0)) {}

  SmallVector<Attribute> emit(unsigned number) {
    location = kernel.getLoc();
    call("ember_au_begin", {word(number)});
    emitConstants();
    emitBlock(kernel.getAccess().getBody().front());
    location = kernel.getLoc();
    call("ember_au_start", {});
    return std::move(sites);
  }

private:
  //===--- Numbers and calls ----------------------------------------------===//

  Value word(int64_t value) {
    Value &constant = words[value];
    if (!constant)
      constant = arith::ConstantIntOp::create(builder, location, value, 32);
    return constant;
  }

  Value toI64(Value value) {
    Type type = builder.getI64Type();
    if (value.getType() == type)
      return value;
    // A float is its bits, followed by zeros.
    if (auto real = dyn_cast<FloatType>(value.getType())) {
      Value bits = arith::BitcastOp::create(
          builder, location, builder.getIntegerType(real.getWidth()), value);
      return real.getWidth() == 64
                 ? bits
                 : arith::ExtUIOp::create(builder, location, type, bits)
                       .getResult();
    }
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(builder, location, type, value);
    // An i1 is 0 or 1; wider integers keep their sign.
    if (value.getType().isInteger(1))
      return arith::ExtUIOp::create(builder, location, type, value);
    return arith::ExtSIOp::create(builder, location, type, value);
  }

  Value number(Value value) { return word(numbers.at(value)); }

  /// The next number; notes what a fault there is about.
  Value defineNext(FaultKind kind, StringRef argument) {
    sites.push_back(SiteAttr::get(builder.getContext(), kind, launcher,
                                  argument, LocationAttr(location)));
    return word(sites.size() - 1);
  }

  /// Gives `value` the next number.
  Value define(Value value, FaultKind kind, StringRef argument) {
    numbers[value] = sites.size();
    return defineNext(kind, argument);
  }

  void call(StringRef name, ValueRange operands) {
    SmallVector<Value> all{context};
    llvm::append_range(all, operands);
    auto module = function->getParentOfType<ModuleOp>();
    auto callee = module.lookupSymbol<func::FuncOp>(name);
    if (!callee) {
      auto type = builder.getFunctionType(ValueRange(all).getTypes(), {});
      OpBuilder moduleBuilder = OpBuilder::atBlockBegin(module.getBody());
      callee = func::FuncOp::create(moduleBuilder, module.getLoc(), name, type);
      callee.setPrivate();
    }
    func::CallOp::create(builder, location, callee, all);
  }

  //===--- Operations -----------------------------------------------------===//

  /// Scalar arguments and constants come first, so that they are in scope
  /// everywhere.
  void emitConstants() {
    kernel.getAccess().walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        bool isConstant = matchPattern(operand, m_Constant());
        auto argument = dyn_cast<BlockArgument>(operand);
        bool isScalarArgument =
            argument && argument.getOwner() == &kernel.getBody().front() &&
            argument.getType().isIntOrIndexOrFloat();
        // The step of a loop is no operand of the access unit.
        auto loop = dyn_cast<LoopOp>(op);
        bool isStepOnly = loop && operand == loop.getStep() &&
                          operand != loop.getLower() &&
                          operand != loop.getUpper();
        if ((isConstant || isScalarArgument) && !isStepOnly &&
            !numbers.count(operand))
          emitConstant(operand);
      }
    });
  }

  void emitConstant(Value value) {
    std::string name;
    if (auto argument = dyn_cast<BlockArgument>(value))
      name = kernel.getArgumentName(argument.getArgNumber());
    location = value.getLoc();
    Value dst = define(value, FaultKind::IndexOutOfRange, name);
    call("ember_au_const", {dst, toI64(materialize(value))});
  }

  /// `value`, an argument or constant of the kernel, in the function.
  Value materialize(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return function.getArgument(1 + argument.getArgNumber());
    return builder.clone(*value.getDefiningOp())->getResult(0);
  }

  void emitBlock(Block &block) {
    for (Operation &op : block) {
      location = op.getLoc();
      TypeSwitch<Operation *>(&op)
          .Case<LoopOp, IfOp, MemOp, StoreOp, PushOp>(
              [&](auto o) { emitOp(o); })
          .Default([&](Operation *o) {
            if (!matchPattern(o, m_Constant()))
              emitArithmetic(o);
          });
    }
  }

  void emitOp(LoopOp loop) {
    Value lower = number(loop.getLower()), upper = number(loop.getUpper());
    Value step = toI64(materialize(loop.getStep()));
    bool tokens = loop.getMode() == LoopMode::Until;
    if (loop.getMode() == LoopMode::Announced)
      announce(lower, upper);
    Value dst = define(loop.getCounter(), FaultKind::LoopStep, loop.getLabel());
    call("ember_au_loop",
         {dst, lower, upper, step, word(tokens ? EMBER_QUEUE_TOKEN : -1)});
    emitBlock(loop.getBody().front());
    location = loop.getLoc();
    call("ember_au_end", {});
  }

  /// Sends the number of steps of 1 from `lower` to `upper`, both numbers: none
  /// if `upper` is below.
  void announce(Value lower, Value upper) {
    auto alu = [&](int32_t opcode, Value a, Value b) {
      Value dst = defineNext(FaultKind::IndexOutOfRange, "");
      call("ember_au_alu", {dst, word(opcode), word(64), a, b, word(-1)});
      return dst;
    };
    Value end = alu(EMBER_AU_MAX_S, upper, lower);
    Value count = alu(EMBER_AU_SUB, end, lower);
    call("ember_au_push", {word(EMBER_QUEUE_SCALAR), count, word(8)});
  }

  void emitOp(IfOp choice) {
    auto queueIf = [&](IfMode mode) {
      return word(choice.getMode() == mode ? EMBER_QUEUE_TOKEN : -1);
    };
    call("ember_au_if", {number(choice.getCondition()), queueIf(IfMode::Filter),
                         queueIf(IfMode::Flag)});
    emitBlock(choice.getThenRegion().front());
    location = choice.getLoc();
    if (!choice.getElseRegion().empty() &&
        !choice.getElseRegion().front().empty()) {
      call("ember_au_else", {});
      emitBlock(choice.getElseRegion().front());
      location = choice.getLoc();
    }
    call("ember_au_end", {});
  }

  void emitOp(MemOp mem) {
    auto argument = cast<BlockArgument>(mem.getMemref());
    Type element = cast<MemRefType>(argument.getType()).getElementType();
    int64_t bytes = getStoredBytes(element);
    const Buffer &buffer = getBuffer(argument, bytes);
    Value dst = define(mem.getResult(), FaultKind::IndexOutOfRange,
                       kernel.getArgumentName(argument.getArgNumber()));
    call("ember_au_mem",
         {dst, buffer.base, word(bytes),
          word(isa<FloatType>(element) ? EMBER_AU_OPAQUE : EMBER_AU_INT),
          word(mem.getValidCount()), word(mem.getElementCount())});
    emitDims(mem.getIndices(), buffer);
  }

  void emitOp(StoreOp store) {
    auto argument = cast<BlockArgument>(store.getMemref());
    int64_t bytes =
        getStoredBytes(cast<MemRefType>(argument.getType()).getElementType());
    const Buffer &buffer = getBuffer(argument, bytes);
    Value dst = defineNext(FaultKind::IndexOutOfRange,
                           kernel.getArgumentName(argument.getArgNumber()));
    call("ember_au_store", {dst, number(store.getValue()), buffer.base,
                            word(bytes), word(store.getCount())});
    emitDims(store.getIndices(), buffer);
  }

  void emitDims(ValueRange indices, const Buffer &buffer) {
    for (auto [index, size, stride] :
         llvm::zip(indices, buffer.sizes, buffer.strides))
      call("ember_au_dim", {number(index), size, stride});
  }

  /// Bytes of an element in memory.
  static int64_t getStoredBytes(Type element) {
    return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
  }

  /// The program is one straight line, so what is computed once for a buffer
  /// serves all its uses.
  const Buffer &getBuffer(BlockArgument argument, int64_t bytes) {
    auto [place, isNew] = buffers.try_emplace(argument);
    Buffer &buffer = place->second;
    if (!isNew)
      return buffer;
    Value memref = materialize(argument);
    auto meta =
        memref::ExtractStridedMetadataOp::create(builder, location, memref);
    Value aligned = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, location, memref);
    Value address = arith::AddIOp::create(builder, location, toI64(aligned),
                                          scale(meta.getOffset(), bytes));
    buffer.base = LLVM::IntToPtrOp::create(
        builder, location, LLVM::LLVMPointerType::get(builder.getContext()),
        address);
    for (auto [size, stride] : llvm::zip(meta.getSizes(), meta.getStrides())) {
      buffer.sizes.push_back(toI64(size));
      buffer.strides.push_back(scale(stride, bytes));
    }
    return buffer;
  }

  /// `value` of type index times `bytes`, as i64.
  Value scale(Value value, int64_t bytes) {
    Value factor = arith::ConstantIntOp::create(builder, location, bytes, 64);
    return arith::MulIOp::create(builder, location, toI64(value), factor);
  }

  void emitOp(PushOp push) {
    int64_t bytes = getElementBytes(getTakenType(push.getValue().getType()));
    call("ember_au_push", {word(static_cast<int32_t>(push.getQueue())),
                           number(push.getValue()), word(bytes)});
  }

  //===--- Arithmetic -----------------------------------------------------===//

  static int64_t bitsOf(Value value) {
    return value.getType().isIndex() ? 64
                                     : value.getType().getIntOrFloatBitWidth();
  }

  static int32_t getOpcode(arith::CmpIPredicate predicate) {
    switch (predicate) {
    case arith::CmpIPredicate::eq:
      return EMBER_AU_EQ;
    case arith::CmpIPredicate::ne:
      return EMBER_AU_NE;
    case arith::CmpIPredicate::slt:
      return EMBER_AU_SLT;
    case arith::CmpIPredicate::sle:
      return EMBER_AU_SLE;
    case arith::CmpIPredicate::sgt:
      return EMBER_AU_SGT;
    case arith::CmpIPredicate::sge:
      return EMBER_AU_SGE;
    case arith::CmpIPredicate::ult:
      return EMBER_AU_ULT;
    case arith::CmpIPredicate::ule:
      return EMBER_AU_ULE;
    case arith::CmpIPredicate::ugt:
      return EMBER_AU_UGT;
    case arith::CmpIPredicate::uge:
      return EMBER_AU_UGE;
    }
    llvm_unreachable("all predicates are listed");
  }

  /// Casts widen with the sign or without, narrow, or, between index and i64,
  /// do nothing.
  static std::optional<AluOperation> getCast(Operation *op, int32_t widen) {
    Value from = op->getOperand(0), to = op->getResult(0);
    if (bitsOf(from) == bitsOf(to))
      return std::nullopt;
    if (bitsOf(from) < bitsOf(to))
      return AluOperation{widen, from};
    return AluOperation{EMBER_AU_TRUNC, to};
  }

  /// The operation of the access unit that `op` is, or none if its result is
  /// its operand.
  static std::optional<AluOperation> getAluOperation(Operation *op) {
    auto plain = [&](int32_t opcode) {
      return AluOperation{opcode, op->getResult(0)};
    };
    using Result = std::optional<AluOperation>;
    return TypeSwitch<Operation *, Result>(op)
        .Case<arith::AddIOp>([&](auto) { return plain(EMBER_AU_ADD); })
        .Case<arith::SubIOp>([&](auto) { return plain(EMBER_AU_SUB); })
        .Case<arith::MulIOp>([&](auto) { return plain(EMBER_AU_MUL); })
        .Case<arith::MinSIOp>([&](auto) { return plain(EMBER_AU_MIN_S); })
        .Case<arith::MaxSIOp>([&](auto) { return plain(EMBER_AU_MAX_S); })
        .Case<arith::AndIOp>([&](auto) { return plain(EMBER_AU_AND); })
        .Case<arith::OrIOp>([&](auto) { return plain(EMBER_AU_OR); })
        .Case<arith::XOrIOp>([&](auto) { return plain(EMBER_AU_XOR); })
        .Case<arith::SelectOp>([&](auto) { return plain(EMBER_AU_SELECT); })
        .Case<arith::CmpIOp>([](arith::CmpIOp compare) {
          return AluOperation{getOpcode(compare.getPredicate()),
                              compare.getLhs()};
        })
        .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
            [&](auto) { return getCast(op, EMBER_AU_EXTEND_U); })
        .Default([&](auto) { return getCast(op, EMBER_AU_EXTEND); });
  }

  void emitArithmetic(Operation *op) {
    std::optional<AluOperation> alu = getAluOperation(op);
    if (!alu) {
      numbers[op->getResult(0)] = numbers.at(op->getOperand(0));
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(number(operand));
    operands.resize(3, {});
    for (Value &operand : operands)
      if (!operand)
        operand = word(-1);
    Value dst = define(op->getResult(0), FaultKind::IndexOutOfRange, "");
    call("ember_au_alu", {dst, word(alu->opcode), word(bitsOf(alu->width)),
                          operands[0], operands[1], operands[2]});
  }

  KernelOp kernel;
  StringRef launcher;
  func::FuncOp function;
  OpBuilder builder;
  Value context;
  /// Of the operation being emitted.
  Location location = UnknownLoc::get(builder.getContext());
  DenseMap<Value, int64_t> numbers;
  DenseMap<int64_t, Value> words;
  DenseMap<Value, Buffer> buffers;
  SmallVector<Attribute> sites;
};

} // namespace

SmallVector<Attribute> ember::dlc::emitAccessProgram(KernelOp kernel,
                                                     unsigned number,
                                                     StringRef launcher,
                                                     func::FuncOp function) {
  return ProgramEmitter(kernel, launcher, function).emit(number);
}
