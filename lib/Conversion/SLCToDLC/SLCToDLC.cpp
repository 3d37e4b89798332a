//===- SLCToDLC.cpp - Kernels as an access tree and an execute tree -------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     slc.for @elems %p = %p0 to %p1 step %c1 {
//       %i = slc.mem_stream %idx[%p]
//       %keep = slc.alu_stream ne %i, %pad
//       slc.if %keep {
//         %x = slc.mem_stream %t[%i]
//         slc.callback(%v = %x : f32) { body }
//       }
//     }
//
// becomes
//
//     dlc.access  { dlc.loop @elems %p = %p0 to %p1 step %c1 until {
//                     %i = dlc.mem %idx[%p]
//                     %keep = arith.cmpi ne, %i, %pad
//                     dlc.if %keep filter { %x = dlc.mem %t[%i]
//                                           dlc.push data, %x : f32 } } }
//     dlc.execute { dlc.until @elems { dlc.take(%v : f32 from data) { body } }
//     }
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/Passes.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/IR/Slc.h"
#include "ember/Dialect/Slc/Transforms/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSLCTODLC
#include "ember/Conversion/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// What the core has to know
//===----------------------------------------------------------------------===//

/// Loops whose counters callbacks want computed by the core.
static void findCoreCounters(Value stream, DenseSet<Operation *> &loops) {
  if (auto counter = dyn_cast<BlockArgument>(stream)) {
    if (auto loop = dyn_cast<slc::ForOp>(counter.getOwner()->getParentOp()))
      if (loops.insert(loop).second) // A counter starts at its lower bound.
        findCoreCounters(loop.getLower(), loops);
    return;
  }
  if (auto alu = stream.getDefiningOp<slc::AluStreamOp>())
    for (Value operand : alu.getOperands())
      findCoreCounters(operand, loops);
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

namespace {

class KernelConversion {
public:
  KernelConversion(slc::KernelOp kernel, dlc::TargetAttr target)
      : kernel(kernel), target(target), access(kernel.getContext()),
        execute(kernel.getContext()) {}

  LogicalResult convert() {
    createKernel();
    kernel.walk([&](slc::CallbackOp callback) {
      for (auto [index, operand] : llvm::enumerate(callback.getOperands()))
        if (callback.getQueue(index) == slc::QueueKind::Core)
          findCoreCounters(operand, coreCounters);
    });
    if (failed(convertBlock(kernel.getBody().front()))) {
      result.erase();
      return failure();
    }
    kernel.erase();
    return success();
  }

private:
  void createKernel() {
    OpBuilder builder(kernel);
    MLIRContext *context = builder.getContext();
    auto queues = dlc::QueuesAttr::get(context, target.getDataQueueBytes(),
                                       target.getScalarQueueBytes(),
                                       target.getTokenQueueBytes());
    Location loc = kernel.getLoc();
    result = dlc::KernelOp::create(
        builder, loc, kernel.getSymNameAttr(), kernel.getFunctionTypeAttr(),
        queues, kernel.getSymVisibilityAttr(), kernel.getArgAttrsAttr(),
        /*res_attrs=*/nullptr);
    Block &body = result.getBody().emplaceBlock();
    for (BlockArgument argument : kernel.getBody().getArguments())
      both.map(argument,
               body.addArgument(argument.getType(), argument.getLoc()));
    builder.setInsertionPointToStart(&body);
    // Both sides see constants, wherever they stood.
    kernel.walk([&](Operation *op) {
      if (matchPattern(op, m_Constant()) &&
          !op->getParentOfType<slc::CallbackOp>())
        builder.clone(*op, both);
    });
    auto accessOp = dlc::AccessOp::create(builder, loc);
    auto executeOp = dlc::ExecuteOp::create(builder, loc);
    access.setInsertionPointToStart(&accessOp.getBody().emplaceBlock());
    execute.setInsertionPointToStart(&executeOp.getBody().emplaceBlock());
  }

  /// `value` of the access side.
  Value onAccess(Value value) {
    return streams.lookupOrDefault(both.lookupOrDefault(value));
  }

  SmallVector<Value> onExecute(ValueRange operands) {
    return llvm::map_to_vector(
        operands, [&](Value value) { return both.lookupOrDefault(value); });
  }

  /// Computes `stream` on the core, for `callback`; null after an error.
  Value recompute(Value stream, Operation *user) {
    if (Value counter = counters.lookup(stream))
      return counter;
    if (!slc::isAccessType(stream.getType()))
      return both.lookupOrDefault(stream);
    auto alu = stream.getDefiningOp<slc::AluStreamOp>();
    if (!alu) {
      InFlightDiagnostic diagnostic = user->emitOpError(
          "wants an operand computed by the core, which depends on what only "
          "the access unit knows");
      diagnostic.attachNote(stream.getLoc()) << "on this";
      return {};
    }
    SmallVector<Value> operands;
    for (Value operand : alu.getOperands()) {
      operands.push_back(recompute(operand, user));
      if (!operands.back())
        return {};
    }
    return slc::createArithmetic(execute, alu, operands);
  }

  LogicalResult convertBlock(Block &block) {
    for (Operation &op : block)
      if (failed(convertOperation(&op)))
        return failure();
    return success();
  }

  LogicalResult convertOperation(Operation *op) {
    if (matchPattern(op, m_Constant()) || isa<slc::YieldOp, slc::ReturnOp>(op))
      return success();
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case<slc::LocalOp, slc::MemStreamOp, slc::BufferStreamOp,
              slc::StoreStreamOp, slc::AluStreamOp, slc::CallbackOp, slc::ForOp,
              slc::IfOp>([&](auto typed) { return convertOp(typed); })
        .Default([](Operation *o) {
          return o->emitOpError("has no place in a dlc.kernel");
        });
  }

  LogicalResult convertOp(slc::LocalOp local) {
    // At the start of a cache line, as rows are, so that vectors lie in one
    // line.
    auto alloca = memref::AllocaOp::create(
        execute, local.getLoc(), cast<MemRefType>(local.getBuffer().getType()),
        execute.getI64IntegerAttr(64));
    both.map(local.getBuffer(), alloca);
    return success();
  }

  //===--- Streams --------------------------------------------------------===//

  SmallVector<Value> onAccess(ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value value) { return onAccess(value); });
  }

  LogicalResult convertOp(slc::MemStreamOp stream) {
    Type type =
        cast<slc::StreamType>(stream.getStream().getType()).getElementType();
    auto mem = dlc::MemOp::create(
        access, stream.getLoc(), type, onAccess(stream.getMemref()),
        onAccess(stream.getIndices()), stream.getValidAttr());
    streams.map(stream.getStream(), mem.getResult());
    return success();
  }

  LogicalResult convertOp(slc::BufferStreamOp stream) {
    auto chunk = cast<slc::ChunkType>(stream.getChunk().getType());
    IntegerAttr valid;
    if (static_cast<int64_t>(stream.getLength()) != chunk.getSize())
      valid = stream.getLengthAttr();
    auto mem = dlc::MemOp::create(access, stream.getLoc(), chunk,
                                  onAccess(stream.getMemref()),
                                  onAccess(stream.getIndices()), valid);
    streams.map(stream.getChunk(), mem.getResult());
    return success();
  }

  LogicalResult convertOp(slc::StoreStreamOp store) {
    if (!target.getStore())
      return store.emitOpError("cannot be done by the access unit of '")
             << target.getMachine() << "', which does not store";
    dlc::StoreOp::create(access, store.getLoc(), onAccess(store.getValue()),
                         onAccess(store.getMemref()),
                         onAccess(store.getIndices()), store.getLengthAttr());
    return success();
  }

  LogicalResult convertOp(slc::AluStreamOp alu) {
    streams.map(alu.getStream(), slc::createArithmetic(
                                     access, alu, onAccess(alu.getOperands())));
    return success();
  }

  //===--- Callbacks ------------------------------------------------------===//

  LogicalResult convertOp(slc::CallbackOp callback) {
    SmallVector<BlockArgument> taken;
    SmallVector<dlc::QueueKind> queues;
    for (auto [index, operand] : llvm::enumerate(callback.getOperands())) {
      BlockArgument argument = callback.getBody().getArgument(index);
      slc::QueueKind kind = callback.getQueue(index);
      if (kind == slc::QueueKind::Core) {
        Value value = recompute(operand, callback);
        if (!value)
          return failure();
        both.map(argument, value);
        continue;
      }
      auto queue = kind == slc::QueueKind::Scalar ? dlc::QueueKind::Scalar
                                                  : dlc::QueueKind::Data;
      dlc::PushOp::create(access, callback.getLoc(), queue, onAccess(operand));
      taken.push_back(argument);
      queues.push_back(queue);
    }
    Block &body = callback.getBody().front();
    if (taken.empty()) {
      for (Operation &op : body.without_terminator())
        execute.clone(op, both);
      both.map(callback.getResults(),
               onExecute(body.getTerminator()->getOperands()));
      return success();
    }
    auto take = dlc::TakeOp::create(
        execute, callback.getLoc(), callback.getResultTypes(),
        llvm::map_to_vector(taken, [](Value v) { return v.getType(); }),
        queues);
    for (auto [from, to] : llvm::zip(taken, take.getBody().getArguments()))
      both.map(from, to);
    OpBuilder::InsertionGuard guard(execute);
    execute.setInsertionPointToStart(&take.getBody().front());
    for (Operation &op : body.without_terminator())
      execute.clone(op, both);
    if (callback.getNumResults())
      dlc::YieldOp::create(execute, body.getTerminator()->getLoc(),
                           onExecute(body.getTerminator()->getOperands()));
    both.map(callback.getResults(), take.getResults());
    return success();
  }

  //===--- Control --------------------------------------------------------===//

  LogicalResult convertOp(slc::ForOp loop) {
    if (!concernsCore(loop))
      return stores(loop) ? convertSilent(loop) : success();
    bool wantsCounter = coreCounters.contains(loop);
    bool isOutermost = isa<slc::KernelOp>(loop->getParentOp());
    slc::IfOp filter;
    if (!wantsCounter && !loop.getCounted())
      filter = findFilter(loop);
    auto mode = dlc::LoopMode::Until;
    if (loop.hasKnownBounds() && !filter && (isOutermost || loop.getCounted()))
      mode = dlc::LoopMode::Counted;
    else if (loop.getCounted() && !wantsCounter)
      mode = dlc::LoopMode::Announced;

    auto accessLoop = dlc::LoopOp::create(
        access, loop.getLoc(), loop.getLabel(), onAccess(loop.getLower()),
        onAccess(loop.getUpper()), both.lookup(loop.getStep()), mode);
    streams.map(loop.getCounter(), accessLoop.getCounter());
    OpBuilder::InsertionGuard accessGuard(access);
    access.setInsertionPointToStart(&accessLoop.getBody().front());
    switch (mode) {
    case dlc::LoopMode::Counted:
      return convertCounted(loop);
    case dlc::LoopMode::Announced:
      return convertAnnounced(loop);
    case dlc::LoopMode::Until:
      return convertUntil(loop, filter, wantsCounter);
    }
    llvm_unreachable("all modes are listed");
  }

  /// A loop of which the core sees nothing.
  LogicalResult convertSilent(slc::ForOp loop) {
    auto silent = dlc::LoopOp::create(
        access, loop.getLoc(), loop.getLabel(), onAccess(loop.getLower()),
        onAccess(loop.getUpper()), both.lookup(loop.getStep()),
        dlc::LoopMode::Counted);
    streams.map(loop.getCounter(), silent.getCounter());
    OpBuilder::InsertionGuard guard(access);
    access.setInsertionPointToStart(&silent.getBody().front());
    return convertBlock(loop.getBody().front());
  }

  LogicalResult convertCounted(slc::ForOp loop) {
    auto repeat = dlc::RepeatOp::create(
        execute, loop.getLoc(), loop.getLabel(), both.lookup(loop.getLower()),
        both.lookup(loop.getUpper()), both.lookup(loop.getStep()),
        onExecute(loop.getInits()));
    counters[loop.getCounter()] = repeat.getCounter();
    both.map(loop.getIterArgs(), repeat.getIterArgs());
    OpBuilder::InsertionGuard guard(execute);
    Block *body = &repeat.getBody().front();
    if (failed(convertBody(loop.getBody().front(), body)))
      return failure();
    both.map(loop.getResults(), repeat.getResults());
    return success();
  }

  LogicalResult convertAnnounced(slc::ForOp loop) {
    auto times = dlc::TimesOp::create(execute, loop.getLoc(), loop.getLabel(),
                                      onExecute(loop.getInits()));
    both.map(loop.getIterArgs(), times.getIterArgs());
    OpBuilder::InsertionGuard guard(execute);
    Block *body = &times.getBody().front();
    if (failed(convertBody(loop.getBody().front(), body)))
      return failure();
    both.map(loop.getResults(), times.getResults());
    return success();
  }

  LogicalResult convertUntil(slc::ForOp loop, slc::IfOp filter,
                             bool wantsCounter) {
    SmallVector<Value> inits = onExecute(loop.getInits());
    if (wantsCounter) {
      Value lower = recompute(loop.getLower(), loop);
      if (!lower)
        return failure();
      inits.push_back(lower);
    }
    auto until =
        dlc::UntilOp::create(execute, loop.getLoc(), loop.getLabel(), inits);
    size_t carried = loop.getInits().size();
    both.map(loop.getIterArgs(), until.getIterArgs().take_front(carried));
    if (wantsCounter)
      counters[loop.getCounter()] = until.getIterArgs().back();
    OpBuilder::InsertionGuard guard(execute);
    Block *body = &until.getBody().front();
    if (failed(filter ? convertFiltered(loop, filter, body)
                      : convertBody(loop.getBody().front(), body,
                                    wantsCounter ? loop : slc::ForOp())))
      return failure();
    both.map(loop.getResults(), until.getResults().take_front(carried));
    return success();
  }

  /// Converts `block` into `body` of the execute side and ends it with what
  /// `block` yields, and with the next value of the counter of `counting`.
  LogicalResult convertBody(Block &block, Block *body,
                            slc::ForOp counting = {}) {
    execute.setInsertionPointToStart(body);
    if (failed(convertBlock(block)))
      return failure();
    auto yield = cast<slc::YieldOp>(block.getTerminator());
    SmallVector<Value> next = onExecute(yield.getOperands());
    if (counting)
      next.push_back(arith::AddIOp::create(execute, counting.getLoc(),
                                           counters[counting.getCounter()],
                                           both.lookup(counting.getStep())));
    if (!next.empty())
      dlc::YieldOp::create(execute, yield.getLoc(), next);
    return success();
  }

  /// Converts a loop whose iterations are filtered: on the core, its body is
  /// that of the filter.
  LogicalResult convertFiltered(slc::ForOp loop, slc::IfOp filter,
                                Block *body) {
    execute.setInsertionPointToStart(body);
    for (Operation &op : loop.getBody().front())
      if (failed(&op == filter ? convertFilter(filter) : convertOperation(&op)))
        return failure();
    auto yield = cast<slc::YieldOp>(loop.getBody().front().getTerminator());
    if (yield.getNumOperands())
      dlc::YieldOp::create(execute, yield.getLoc(),
                           onExecute(yield.getOperands()));
    return success();
  }

  LogicalResult convertFilter(slc::IfOp filter) {
    auto choice = createChoice(filter, dlc::IfMode::Filter);
    OpBuilder::InsertionGuard guard(access);
    access.setInsertionPointToStart(&choice.getThenRegion().front());
    Block &block = filter.getThenRegion().front();
    if (failed(convertBlock(block)))
      return failure();
    both.map(filter.getResults(),
             onExecute(block.getTerminator()->getOperands()));
    return success();
  }

  dlc::IfOp createChoice(slc::IfOp choice, std::optional<dlc::IfMode> mode) {
    dlc::IfModeAttr attribute;
    if (mode)
      attribute = dlc::IfModeAttr::get(access.getContext(), *mode);
    auto created = dlc::IfOp::create(
        access, choice.getLoc(), onAccess(choice.getCondition()), attribute);
    created.getThenRegion().emplaceBlock();
    return created;
  }

  /// A choice of which the core sees nothing.
  LogicalResult convertSilent(slc::IfOp choice) {
    dlc::IfOp silent = createChoice(choice, /*mode=*/std::nullopt);
    OpBuilder::InsertionGuard guard(access);
    for (auto [from, to] :
         llvm::zip(choice->getRegions(), silent->getRegions())) {
      if (from.empty())
        continue;
      access.setInsertionPointToStart(to.empty() ? &to.emplaceBlock()
                                                 : &to.front());
      if (failed(convertBlock(from.front())))
        return failure();
    }
    return success();
  }

  LogicalResult convertOp(slc::IfOp choice) {
    if (!concernsCore(choice))
      return stores(choice) ? convertSilent(choice) : success();
    bool withElse = !choice.getElseRegion().empty();
    dlc::IfOp accessIf = createChoice(choice, dlc::IfMode::Flag);
    auto when = dlc::WhenOp::create(execute, choice.getLoc(),
                                    choice.getResultTypes(), withElse);
    OpBuilder::InsertionGuard accessGuard(access), executeGuard(execute);
    access.setInsertionPointToStart(&accessIf.getThenRegion().front());
    if (failed(convertBody(choice.getThenRegion().front(),
                           &when.getThenRegion().front())))
      return failure();
    if (withElse) {
      access.setInsertionPointToStart(&accessIf.getElseRegion().emplaceBlock());
      if (failed(convertBody(choice.getElseRegion().front(),
                             &when.getElseRegion().front())))
        return failure();
    }
    both.map(choice.getResults(), when.getResults());
    return success();
  }

  slc::KernelOp kernel;
  dlc::TargetAttr target;
  dlc::KernelOp result;
  OpBuilder access, execute;
  /// From slc to dlc: arguments and constants, which both sides see, and
  /// execute values.
  IRMapping both;
  /// From slc to dlc: streams and chunks.
  IRMapping streams;
  /// The loops whose counters the core computes, and these counters.
  DenseSet<Operation *> coreCounters;
  DenseMap<Value, Value> counters;
};

struct ConvertSLCToDLC : ember::impl::ConvertSLCToDLCBase<ConvertSLCToDLC> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<slc::KernelOp>());
    if (kernels.empty())
      return;
    auto target = dlc::TargetAttr::lookup(module);
    if (!target) {
      kernels.front().emitOpError("is compiled for no machine: run "
                                  "ember-attach-target first");
      return signalPassFailure();
    }
    if (!target.getAccessUnit()) {
      kernels.front().emitOpError("cannot be split between an access unit and "
                                  "a core: the machine '")
          << target.getMachine()
          << "' has no access unit; use convert-slc-to-scf";
      return signalPassFailure();
    }
    for (slc::KernelOp kernel : kernels)
      if (failed(KernelConversion(kernel, target).convert()))
        return signalPassFailure();
    module.walk([](slc::LaunchOp launch) {
      OpBuilder builder(launch);
      dlc::LaunchOp::create(builder, launch.getLoc(), launch.getKernelAttr(),
                            launch.getOperands());
      launch.erase();
    });
  }
};

} // namespace
