//===- StreamCopies.cpp - Copies without the core -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//   %r = slc.buffer_stream %T[%i, %c0] length 100 : ... -> !slc.chunk<112xf32>
//   slc.callback(%row = %r : memref<112xf32, #slc.queue>, %at = %p : index) {
//     scf.for %d = %c0 to %c100 step %c1 {
//       %x = memref.load %row[%d]
//       memref.store %x, %out[%at, %d] } }
//     ==>
//   %r = slc.buffer_stream %T[%i, %c0] length 100 : ... -> !slc.chunk<112xf32>
//   slc.store_stream %r, %out[%p, %c0] length 100
//
// A buffer that the core only fills with what the access unit has at hand is
// written by the access unit. Rows do not pass the queue, and the core has
// nothing to do. All accesses of the buffer change together: it has one role.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/Transforms/Passes.h"
#include "ember/Dialect/Slc/Transforms/Utils.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCSTREAMCOPIES
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Values of callbacks as values of the access side
//===----------------------------------------------------------------------===//

static std::optional<AluOpcode> getOpcode(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<AluOpcode>>(op)
      .Case([](arith::AddIOp) { return AluOpcode::Add; })
      .Case([](arith::SubIOp) { return AluOpcode::Sub; })
      .Case([](arith::MulIOp) { return AluOpcode::Mul; })
      .Default([](Operation *) { return std::nullopt; });
}

/// What arrives in a callback as `argument`, or null.
static Value getOperand(BlockArgument argument) {
  auto callback = dyn_cast<CallbackOp>(argument.getOwner()->getParentOp());
  return callback ? callback.getOperand(argument.getArgNumber()) : Value();
}

/// What a callback yields as `value`, or null.
static Value getYielded(Value value) {
  auto callback = value.getDefiningOp<CallbackOp>();
  if (!callback)
    return {};
  Operation *yield = callback.getBody().front().getTerminator();
  return yield->getOperand(cast<OpResult>(value).getResultNumber());
}

/// Whether the access unit has `value`, which a callback uses, or can compute
/// it: an operand of a callback, a kernel argument or constant, or a sum,
/// difference or product of such.
static bool isAtHand(Value value) {
  if (matchPattern(value, m_Constant()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<KernelOp>(argument.getOwner()->getParentOp()) ||
           (getOperand(argument) && !isa<MemRefType>(argument.getType()));
  if (Value yielded = getYielded(value))
    return isAtHand(yielded);
  Operation *op = value.getDefiningOp();
  return op->getNumResults() == 1 && getOpcode(op) &&
         value.getType().isIntOrIndex() &&
         llvm::all_of(op->getOperands(), isAtHand);
}

/// `value`, which is at hand, on the access side.
static Value createOnAccess(OpBuilder &builder, ConstantPool &constants,
                            Value value) {
  if (matchPattern(value, m_Constant()))
    return constants.get(value.getDefiningOp());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value operand = getOperand(argument);
    return operand ? operand : value;
  }
  if (Value yielded = getYielded(value))
    return createOnAccess(builder, constants, yielded);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(createOnAccess(builder, constants, operand));
  return AluStreamOp::create(
      builder, op->getLoc(),
      StreamType::get(builder.getContext(), value.getType()), *getOpcode(op),
      operands);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {

/// A store of a callback that the access unit can do.
struct Copy {
  memref::StoreOp store;
  /// The loop that makes one access of all its iterations, or null.
  scf::ForOp loop;
  int64_t length = 1; ///< Trip count of the loop.
  /// The chunk that is copied, as the callback sees it; null if the value is a
  /// scalar.
  Value chunk;
};

} // namespace

/// Whether `value` does not change in `loop`, if there is one.
static bool isInvariant(Value value, scf::ForOp loop) {
  return !loop || !loop.getRegion().isAncestor(value.getParentRegion());
}

/// Sets the loop of `copy`: from 0 by 1 up to a constant, and with nothing in
/// it but stores and what they need.
static bool matchLoop(Copy &copy, scf::ForOp loop) {
  APInt upper;
  if (!isa<CallbackOp>(loop->getParentOp()) || loop.getNumResults() ||
      !matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      upper.sle(0))
    return false;
  copy.loop = loop;
  copy.length = upper.getSExtValue();
  if (!hasUnitInnerStride(copy.store.getMemRefType()))
    return false;
  // Two stores to one buffer may overwrite each other in turns.
  return llvm::all_of(loop.getBody()->without_terminator(), [&](Operation &op) {
    auto store = dyn_cast<memref::StoreOp>(op);
    return (store && (store == copy.store ||
                      store.getMemRef() != copy.store.getMemRef())) ||
           isa<memref::LoadOp>(op) || getOpcode(&op) ||
           matchPattern(&op, m_Constant());
  });
}

/// The part of the last index of `copy` that is the same in all iterations, or
/// null if there is none. Fails unless the rest is the loop's counter.
static FailureOr<Value> matchLastIndex(Copy &copy) {
  scf::ForOp loop = copy.loop;
  Value counter = loop.getInductionVar();
  Value last = copy.store.getIndices().back();
  if (last == counter)
    return Value();
  auto add = last.getDefiningOp<arith::AddIOp>();
  if (!add || (add.getLhs() != counter && add.getRhs() != counter))
    return failure();
  Value base = add.getLhs() == counter ? add.getRhs() : add.getLhs();
  if (isInvariant(base, loop) && isAtHand(base))
    return base;
  return failure();
}

static std::optional<Copy> matchCopy(memref::StoreOp store) {
  Copy copy{store};
  ValueRange fixed = store.getIndices();
  if (auto loop = dyn_cast<scf::ForOp>(store->getParentOp())) {
    if (fixed.empty() || !matchLoop(copy, loop) || failed(matchLastIndex(copy)))
      return std::nullopt;
    fixed = fixed.drop_back();
  } else if (!isa<CallbackOp>(store->getParentOp())) {
    return std::nullopt;
  }
  auto isFixed = [&](Value value) {
    return isInvariant(value, copy.loop) && isAtHand(value);
  };
  if (!llvm::all_of(fixed, isFixed))
    return std::nullopt;
  if (isFixed(store.getValue()))
    return copy;
  // A row: element by element, at the counter.
  auto load = store.getValue().getDefiningOp<memref::LoadOp>();
  if (!load || !copy.loop || load.getIndices().size() != 1 ||
      load.getIndices().front() != copy.loop.getInductionVar())
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(load.getMemRef());
  if (!argument || !getOperand(argument))
    return std::nullopt;
  copy.chunk = argument;
  return copy;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct StreamCopies : ember::slc::impl::SlcStreamCopiesBase<StreamCopies> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto target = ember::dlc::TargetAttr::lookup(kernel);
    if (!target || !target.getStore())
      return;

    llvm::MapVector<Value, SmallVector<Copy>> copies;
    DenseSet<Value> kept;
    kernel.walk([&](CallbackOp callback) {
      callback.getBody().walk([&](Operation *op) {
        MemoryUse use = getMemoryUse(op);
        kept.insert_range(use.reads);
        for (Value buffer : use.writes) {
          auto store = dyn_cast<memref::StoreOp>(op);
          bool direct = store && store.getMemRef() == buffer &&
                        isa<BlockArgument>(buffer);
          std::optional<Copy> copy = direct ? matchCopy(store) : std::nullopt;
          if (copy)
            copies[buffer].push_back(*copy);
          else
            kept.insert(buffer);
        }
      });
    });

    ConstantPool constants(kernel);
    for (auto &[buffer, stores] : copies)
      if (!kept.contains(buffer))
        for (Copy &copy : stores)
          rewrite(copy, constants);
    eraseDeadCode(kernel);
  }

  void rewrite(Copy &copy, ConstantPool &constants) {
    memref::StoreOp store = copy.store;
    OpBuilder builder(store->getParentOfType<CallbackOp>());
    auto onAccess = [&](Value value) {
      return createOnAccess(builder, constants, value);
    };
    Value value = copy.chunk ? getOperand(cast<BlockArgument>(copy.chunk))
                             : onAccess(store.getValue());
    SmallVector<Value> indices;
    IntegerAttr length;
    if (copy.loop) {
      for (Value index : store.getIndices().drop_back())
        indices.push_back(onAccess(index));
      Value base = *matchLastIndex(copy);
      indices.push_back(base ? onAccess(base) : constants.getIndex(0));
      auto chunk = dyn_cast<ChunkType>(value.getType());
      if (copy.length != (chunk ? chunk.getSize() : 1))
        length = builder.getI64IntegerAttr(copy.length);
    } else {
      for (Value index : store.getIndices())
        indices.push_back(onAccess(index));
    }
    StoreStreamOp::create(builder, store.getLoc(), value, store.getMemRef(),
                          indices, length);
    store.erase();
  }
};
} // namespace
