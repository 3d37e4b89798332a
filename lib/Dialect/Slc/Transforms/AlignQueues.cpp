//===- AlignQueues.cpp - Keep scalars out of the data queue ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//   slc.callback(%b = %bags : index, %w = %x : f32, %c = %r : memref<112xf32,
//   #slc.queue>)
//     ==>
//   slc.callback(...) queues [core, scalar, data]
//
// The data queue then holds whole vectors only, which the core reads aligned,
// and what the core can count for itself is not sent at all. Scalars beside a
// short row stay: to give back room in a second queue costs more there than
// aligned reads gain.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCALIGNQUEUES
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember::slc;

/// Whether the core sees `value` without being sent anything: it is a kernel
/// argument or a constant.
static bool isGlobal(Value value) { return !isAccessType(value.getType()); }

/// Whether the core runs every iteration of `loop`. The outermost loop and
/// counted ones have as many on both sides; the access side may leave out
/// iterations of an inner one in which a condition suppressed all that it would
/// send.
static bool isFollowed(ForOp loop) {
  if (isa<KernelOp>(loop->getParentOp()) || loop.getCounted())
    return true;
  return llvm::any_of(loop.getBody().front(), [](Operation &op) {
    auto callback = dyn_cast<CallbackOp>(op);
    return callback && callback.getNumOperands() > 0;
  });
}

/// Whether the core can count `stream` itself: it is affine in counters of
/// loops between bounds that the core knows.
static bool isKnownToCore(Value stream) {
  if (isGlobal(stream))
    return true;
  if (auto counter = dyn_cast<BlockArgument>(stream)) {
    auto loop = cast<ForOp>(counter.getOwner()->getParentOp());
    return isGlobal(loop.getLower()) && isGlobal(loop.getUpper()) &&
           isFollowed(loop);
  }
  auto alu = stream.getDefiningOp<AluStreamOp>();
  if (!alu || !llvm::all_of(alu.getOperands(), isKnownToCore))
    return false;
  switch (alu.getOpcode()) {
  case AluOpcode::Add:
  case AluOpcode::Sub:
    return true;
  case AluOpcode::Mul:
    return llvm::any_of(alu.getOperands(), isGlobal);
  default:
    return false;
  }
}

/// Whether `callback` takes rows whose aligned reads are worth a release of the
/// scalar queue: those long enough for reads, not other µops, to bind. Narrow
/// elements come with conversions, so it takes more of them. (The length is
/// where measured cycles cross: docs/design-notes.md.)
static bool isBetterAligned(CallbackOp callback) {
  return llvm::none_of(callback.getOperandTypes(), [](Type type) {
    auto chunk = dyn_cast<ChunkType>(type);
    if (!chunk || !chunk.getElementType().isIntOrFloat())
      return false;
    int64_t bits = chunk.getElementType().getIntOrFloatBitWidth();
    return chunk.getSize() * bits * bits < 64 * 32 * 32;
  });
}

namespace {
struct AlignQueues : ember::slc::impl::SlcAlignQueuesBase<AlignQueues> {
  void runOnOperation() override {
    getOperation().walk([](CallbackOp callback) {
      if (callback.getNumOperands() == 0)
        return;
      QueueKind scalars =
          isBetterAligned(callback) ? QueueKind::Scalar : QueueKind::Data;
      SmallVector<Attribute> kinds;
      for (Value operand : callback.getOperands())
        kinds.push_back(QueueKindAttr::get(callback.getContext(),
                                           choose(operand, scalars)));
      callback.setQueuesAttr(ArrayAttr::get(callback.getContext(), kinds));
    });
  }

  static QueueKind choose(Value operand, QueueKind scalars) {
    auto stream = dyn_cast<StreamType>(operand.getType());
    if (!stream || isa<VectorType>(stream.getElementType()))
      return QueueKind::Data;
    return isKnownToCore(operand) ? QueueKind::Core : scalars;
  }
};
} // namespace
