//===- LowerQueues.cpp - The core's use of queues as loads and stores -----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     dlc.take(%row : memref<64xf32, #slc.queue> from data) { body }
//
// becomes, with a position `tail` and a count of produced bytes `cached` for
// each queue, both held in variables of the function that LLVM turns to
// registers,
//
//     need = tail + 256
//     if (cached < need) cached = ember_queue_wait(ctx, queue, need)    // cold
//     %row = a memref at ring + tail % capacity                // read in place
//     tail = need
//     body
//     queue->consumed = tail                                   // store-release
//
// The access unit makes elements visible in the order it pushes them, over all
// queues, so a take of several elements waits for the last one only.
//
// An element that would straddle the end of the ring starts at its beginning.
// Elements of all kernels of the module go through the same rings, so every
// element lies at a multiple of what divides all their sizes: that is how far
// elements are aligned, and one whose size is that and divides the capacity
// never straddles.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Runtime/ABI.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>
#include <numeric>

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {

/// A queue during a function.
struct Queue {
  QueueKind kind;
  int64_t capacity = 0;
  /// What divides the place of every element, in bytes.
  int64_t granule = 0;
  /// The queue's control block; null if the function does not use the queue.
  Value base;
  /// Variables: bytes taken, and bytes known to be produced.
  Value tail, cached;
};

/// For each queue, the greatest common divisor of its elements' sizes.
using Granules = std::array<int64_t, EMBER_QUEUES>;

/// Calls `use` with the queue and size in bytes of each element that is taken
/// in `op`.
void forEachElement(Operation *op, function_ref<void(QueueKind, int64_t)> use) {
  op->walk([&](Operation *inner) {
    if (isa<UntilOp, WhenOp>(inner))
      use(QueueKind::Token, 8);
    if (isa<TimesOp>(inner))
      use(QueueKind::Scalar, 8);
    if (auto take = dyn_cast<TakeOp>(inner))
      for (auto [index, element] :
           llvm::enumerate(take.getBody().getArguments()))
        use(take.getQueue(index), getElementBytes(element.getType()));
  });
}

/// Lowers the queue operations of one function.
class QueueLowering {
public:
  QueueLowering(func::FuncOp function, const Granules &granules)
      : function(function), builder(function.getContext()) {
    findQueues(granules);
  }

  LogicalResult run() {
    if (function.isExternal() || function.getNumArguments() == 0 ||
        !isa<LLVM::LLVMPointerType>(function.getArgument(0).getType()))
      return function.emitOpError("uses queues, so its first argument is the "
                                  "context of the run time");
    emitPrologue();
    lowerBlock(function.getBody().front());
    return success();
  }

private:
  //===--- Queues ---------------------------------------------------------===//

  void findQueues(const Granules &granules) {
    auto capacities =
        function->getAttrOfType<QueuesAttr>(QueuesAttr::attributeName);
    for (auto kind : {QueueKind::Data, QueueKind::Scalar, QueueKind::Token}) {
      Queue &queue = getQueue(kind);
      queue.kind = kind;
      queue.capacity = capacities.getCapacity(kind);
      queue.granule = granules[static_cast<int>(kind)];
    }
  }

  Queue &getQueue(QueueKind kind) { return queues[static_cast<int>(kind)]; }

  /// The alignment in bytes of every element of `queue`.
  static int64_t getAlignment(const Queue &queue) {
    return std::min<int64_t>(queue.granule & -queue.granule, EMBER_QUEUE_ALIGN);
  }

  void emitPrologue() {
    builder.setInsertionPointToStart(&function.getBody().front());
    location = function.getLoc();
    std::array<bool, EMBER_QUEUES> used = {};
    forEachElement(function, [&](QueueKind kind, int64_t) {
      used[static_cast<int>(kind)] = true;
    });
    Value one = constant(1);
    auto variable = [&] {
      return LLVM::AllocaOp::create(builder, location, pointerType(),
                                    builder.getI64Type(), one);
    };
    for (Queue &queue : queues) {
      int number = static_cast<int>(queue.kind);
      if (!used[number])
        continue;
      queue.tail = variable();
      queue.cached = variable();
      Value place = offset(getContext(), offsetof(ember_context, queue) +
                                             number * sizeof(ember_queue *));
      queue.base =
          LLVM::LoadOp::create(builder, location, pointerType(), place);
      // Earlier kernels have left the queue empty here.
      Value consumed = load(consumedPlace(queue));
      store(consumed, queue.tail);
      store(consumed, queue.cached);
    }
  }

  Value consumedPlace(const Queue &queue) {
    return offset(queue.base, offsetof(ember_queue, consumed));
  }

  /// Moves the tail of `queue` past an element of `bytes` and returns where the
  /// element is.
  Value advance(Queue &queue, int64_t bytes) {
    Value tail = load(queue.tail);
    Value mask = constant(queue.capacity - 1);
    Value at = LLVM::AndOp::create(builder, location, tail, mask);
    bool mayStraddle = bytes != queue.granule || queue.capacity % bytes != 0;
    if (mayStraddle)
      std::tie(tail, at) = skipStraddle(queue, bytes, tail, at);
    Value next = LLVM::AddOp::create(builder, location, tail, constant(bytes));
    store(next, queue.tail);
    Value ring = offset(queue.base, EMBER_QUEUE_RING_OFFSET);
    return LLVM::GEPOp::create(builder, location, pointerType(),
                               builder.getI8Type(), ring,
                               ArrayRef<LLVM::GEPArg>{at});
  }

  /// `tail` and `at`, or the start of the ring if an element of `bytes` would
  /// straddle its end. That is rare, so it is a branch.
  std::pair<Value, Value> skipStraddle(const Queue &queue, int64_t bytes,
                                       Value tail, Value at) {
    Value last = constant(queue.capacity - bytes);
    Value straddles = LLVM::ICmpOp::create(builder, location,
                                           LLVM::ICmpPredicate::ugt, at, last);
    Value never =
        LLVM::ConstantOp::create(builder, location, builder.getI1Type(), false);
    auto choice = scf::IfOp::create(
        builder, location, TypeRange{tail.getType(), at.getType()},
        LLVM::ExpectOp::create(builder, location, straddles, never),
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(choice.thenBlock());
    Value rest =
        LLVM::SubOp::create(builder, location, constant(queue.capacity), at);
    Value skipped = LLVM::AddOp::create(builder, location, tail, rest);
    scf::YieldOp::create(builder, location, ValueRange{skipped, constant(0)});
    builder.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(builder, location, ValueRange{tail, at});
    return {choice.getResult(0), choice.getResult(1)};
  }

  /// Waits until everything before the tail of `queue` is there.
  void acquire(Queue &queue) {
    Value need = load(queue.tail), cached = load(queue.cached);
    Value missing = LLVM::ICmpOp::create(
        builder, location, LLVM::ICmpPredicate::ult, cached, need);
    auto choice = scf::IfOp::create(builder, location, missing,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    auto wait =
        func::CallOp::create(builder, location, getWait(),
                             ValueRange{getContext(), queue.base, need});
    store(wait.getResult(0), queue.cached);
  }

  /// Gives back everything before the tail of `queue`.
  void release(Queue &queue) {
    LLVM::StoreOp::create(builder, location, load(queue.tail),
                          consumedPlace(queue), /*alignment=*/8,
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::release);
  }

  /// The next word of a queue, as i64.
  Value takeWord(QueueKind kind) {
    Queue &queue = getQueue(kind);
    Value place = advance(queue, 8);
    acquire(queue);
    Value word = LLVM::LoadOp::create(builder, location, builder.getI64Type(),
                                      place, /*alignment=*/8);
    release(queue);
    return word;
  }

  func::FuncOp getWait() {
    auto module = function->getParentOfType<ModuleOp>();
    if (auto wait = module.lookupSymbol<func::FuncOp>("ember_queue_wait"))
      return wait;
    OpBuilder moduleBuilder = OpBuilder::atBlockBegin(module.getBody());
    Type i64 = builder.getI64Type();
    auto wait = func::FuncOp::create(
        moduleBuilder, module.getLoc(), "ember_queue_wait",
        builder.getFunctionType({pointerType(), pointerType(), i64}, {i64}));
    wait.setPrivate();
    wait->setAttr("passthrough", builder.getStrArrayAttr({"cold", "nounwind"}));
    return wait;
  }

  //===--- Operations -----------------------------------------------------===//

  void lowerBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isExecuteSideOp(&op))
        continue;
      builder.setInsertionPoint(&op);
      location = op.getLoc();
      TypeSwitch<Operation *>(&op)
          .Case<TakeOp, RepeatOp, TimesOp, UntilOp, WhenOp>(
              [&](auto o) { lower(o); });
    }
  }

  void lower(TakeOp take) {
    Block &body = take.getBody().front();
    SmallVector<Value> places;
    SmallVector<QueueKind> used;
    for (auto [index, element] : llvm::enumerate(body.getArguments())) {
      QueueKind kind = take.getQueue(index);
      if (!llvm::is_contained(used, kind))
        used.push_back(kind);
      places.push_back(
          advance(getQueue(kind), getElementBytes(element.getType())));
    }
    // What is produced before the last element is there with it.
    if (!places.empty())
      acquire(getQueue(take.getQueue(places.size() - 1)));
    for (auto [index, element] : llvm::enumerate(body.getArguments())) {
      int64_t alignment = getAlignment(getQueue(take.getQueue(index)));
      if (isa<MemRefType>(element.getType()))
        alignRowLoads(element, alignment);
      element.replaceAllUsesWith(
          readElement(places[index], element.getType(), alignment));
    }
    auto yield = cast<dlc::YieldOp>(body.getTerminator());
    take->replaceAllUsesWith(yield.getOperands());
    take->getBlock()->getOperations().splice(Block::iterator(take),
                                             body.getOperations(), body.begin(),
                                             Block::iterator(yield));
    builder.setInsertionPoint(take);
    for (QueueKind kind : used)
      release(getQueue(kind));
    take.erase();
  }

  /// The element at `place`, as a value or as a memref.
  Value readElement(Value place, Type type, int64_t alignment) {
    if (auto memref = dyn_cast<MemRefType>(type))
      return makeMemRef(place, memref);
    // Integers are stored sign-extended to the whole 8 bytes.
    if (!type.isIntOrIndex())
      return LLVM::LoadOp::create(builder, location, type, place,
                                  isa<VectorType>(type) ? alignment : 8);
    Value word = LLVM::LoadOp::create(builder, location, builder.getI64Type(),
                                      place, /*alignment=*/8);
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, location, type, word);
    if (type.isInteger(64))
      return word;
    return arith::TruncIOp::create(builder, location, type, word);
  }

  /// A memref of one dimension at `place`.
  Value makeMemRef(Value place, MemRefType type) {
    Type i64 = builder.getI64Type();
    auto array = LLVM::LLVMArrayType::get(i64, 1);
    auto descriptorType = LLVM::LLVMStructType::getLiteral(
        builder.getContext(),
        {pointerType(), pointerType(), i64, array, array});
    Value descriptor =
        LLVM::PoisonOp::create(builder, location, descriptorType);
    auto set = [&](Value value, ArrayRef<int64_t> position) {
      descriptor = LLVM::InsertValueOp::create(builder, location, descriptor,
                                               value, position);
    };
    set(place, 0);
    set(place, 1);
    set(constant(0), 2);
    set(constant(type.getNumElements()), {3, 0});
    set(constant(1), {4, 0});
    return UnrealizedConversionCastOp::create(builder, location, type,
                                              descriptor)
        .getResult(0);
  }

  /// Says what is known of the place of vectors loaded from `row`: the elements
  /// are aligned, and a vector at a multiple of its length keeps that.
  static void alignRowLoads(Value row, int64_t alignment) {
    for (Operation *user : row.getUsers()) {
      auto load = dyn_cast<vector::LoadOp>(user);
      if (!load || load.getAlignment())
        continue;
      VectorType type = load.getVectorType();
      Type element = type.getElementType();
      int64_t bytes =
          element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8;
      APInt at;
      Value index = load.getIndices().front();
      int64_t known = bytes;
      if (matchPattern(index, m_ConstantInt(&at)))
        known = at.getZExtValue() * bytes;
      else if (auto loop = scf::getForInductionVarOwner(index))
        known = std::gcd(getConstant(loop.getLowerBound()).value_or(1),
                         getConstant(loop.getStep()).value_or(1)) *
                bytes;
      known = std::gcd(known, alignment);
      load.setAlignmentAttr(
          Builder(load.getContext()).getI64IntegerAttr(known & -known));
    }
  }

  static std::optional<int64_t> getConstant(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    return std::nullopt;
  }

  /// Moves the body of `region`, whose last operation is a dlc.yield, to the
  /// end of `block`, ending it with a scf.yield.
  void moveBody(Region &region, Block *block, ValueRange arguments) {
    lowerBlock(region.front());
    Block &body = region.front();
    for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
      argument.replaceAllUsesWith(value);
    auto yield = cast<dlc::YieldOp>(body.getTerminator());
    block->getOperations().splice(block->end(), body.getOperations(),
                                  body.begin(), Block::iterator(yield));
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, yield.getLoc(), yield.getOperands());
  }

  void lower(RepeatOp repeat) {
    // The access unit reports a step that is not positive and closes the
    // queues; the loop then has to end too.
    Value step = repeat.getStep();
    if (!getConstant(step))
      step = arith::MaxSIOp::create(
          builder, location, step,
          arith::ConstantIndexOp::create(builder, location, 1));
    scf::ForOp loop =
        makeLoop(repeat.getLower(), repeat.getUpper(), step, repeat.getInits());
    moveBody(repeat.getBody(), loop.getBody(), loop.getBody()->getArguments());
    repeat->replaceAllUsesWith(loop.getResults());
    repeat.erase();
  }

  void lower(TimesOp times) {
    Value count = arith::IndexCastOp::create(
        builder, location, builder.getIndexType(), takeWord(QueueKind::Scalar));
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, location, value);
    };
    scf::ForOp loop = makeLoop(index(0), count, index(1), times.getInits());
    moveBody(times.getBody(), loop.getBody(), loop.getRegionIterArgs());
    times->replaceAllUsesWith(loop.getResults());
    times.erase();
  }

  /// A loop with an empty body.
  scf::ForOp makeLoop(Value lower, Value upper, Value step, ValueRange inits) {
    auto loop =
        scf::ForOp::create(builder, location, lower, upper, step, inits);
    if (!loop.getBody()->empty())
      loop.getBody()->getTerminator()->erase();
    return loop;
  }

  void lower(UntilOp until) {
    auto loop = scf::WhileOp::create(builder, location, until.getResultTypes(),
                                     until.getInits());
    SmallVector<Location> locations(until.getNumResults(), location);
    Block *before = builder.createBlock(&loop.getBefore(), {},
                                        until.getResultTypes(), locations);
    Value kind = LLVM::AndOp::create(
        builder, location, takeWord(QueueKind::Token), constant(0xff));
    Value goesOn =
        LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::eq, kind,
                             constant(EMBER_TOKEN_ITER));
    scf::ConditionOp::create(builder, location, goesOn, before->getArguments());
    Block *after = builder.createBlock(&loop.getAfter(), {},
                                       until.getResultTypes(), locations);
    moveBody(until.getBody(), after, after->getArguments());
    until->replaceAllUsesWith(loop.getResults());
    until.erase();
  }

  void lower(WhenOp when) {
    Value taken =
        LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::ne,
                             takeWord(QueueKind::Token), constant(0));
    bool withElse = !when.getElseRegion().empty();
    auto choice = scf::IfOp::create(builder, location, when.getResultTypes(),
                                    taken, /*addThenBlock=*/true,
                                    /*addElseBlock=*/withElse);
    for (Block *block : {choice.thenBlock(), choice.elseBlock()})
      if (block && !block->empty())
        block->getTerminator()->erase();
    moveBody(when.getThenRegion(), choice.thenBlock(), {});
    if (withElse)
      moveBody(when.getElseRegion(), choice.elseBlock(), {});
    when->replaceAllUsesWith(choice.getResults());
    when.erase();
  }

  //===--- Small pieces ---------------------------------------------------===//

  Value getContext() { return function.getArgument(0); }

  Type pointerType() {
    return LLVM::LLVMPointerType::get(builder.getContext());
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, location, builder.getI64Type(),
                                    value);
  }

  Value offset(Value pointer, int32_t bytes) {
    return LLVM::GEPOp::create(builder, location, pointerType(),
                               builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }

  Value load(Value variable) {
    return LLVM::LoadOp::create(builder, location, builder.getI64Type(),
                                variable);
  }

  void store(Value value, Value variable) {
    LLVM::StoreOp::create(builder, location, value, variable);
  }

  func::FuncOp function;
  OpBuilder builder;
  /// Of the operation being lowered.
  Location location = UnknownLoc::get(builder.getContext());
  std::array<Queue, EMBER_QUEUES> queues;
};

struct LowerQueues : PassWrapper<LowerQueues, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerQueues)

  StringRef getArgument() const final { return "ember-lower-queues"; }

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    Granules granules = {};
    getOperation().walk([&](func::FuncOp function) {
      if (!function->hasAttrOfType<QueuesAttr>(QueuesAttr::attributeName))
        return;
      functions.push_back(function);
      forEachElement(function, [&](QueueKind kind, int64_t bytes) {
        int64_t &granule = granules[static_cast<int>(kind)];
        granule = std::gcd(granule, bytes);
      });
    });
    for (func::FuncOp function : functions)
      if (failed(QueueLowering(function, granules).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> ember::createLowerQueuesPass() {
  return std::make_unique<LowerQueues>();
}
