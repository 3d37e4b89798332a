//===- PromoteLocals.cpp - Accumulators in registers ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//   slc.callback { vector.store %zero, %out[%b, 0] }
//   slc.for @elems %p = ... {
//     slc.callback(%row = %r : memref<16xf32, #slc.queue>) {
//       %a = vector.load %out[%b, 0]
//       %x = vector.load %row[0]
//       %s = arith.addf %a, %x
//       vector.store %s, %out[%b, 0] } }
//     ==>
//   %sum = slc.for @elems %p = ... iter_args(%a = %zero) -> (vector<16xf32>) {
//     %next = slc.callback(%row = %r : ...) {
//       %x = vector.load %row[0]
//       %s = arith.addf %a, %x
//       slc.yield %s }
//     slc.yield %next }
//   slc.callback { vector.store %sum, %out[%b, 0] }
//
// Loops in callbacks are unrolled, so that each place has a constant column.
// Loops of the access side then carry the places that stay the same, from the
// innermost outwards, as many as there are registers for; the others stay in
// memory. Last, what a block stores and loads again is handed on, and stores
// that another overwrites go.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "RowLoop.h"

#include "ember/Dialect/Slc/Transforms/Passes.h"
#include "ember/Dialect/Slc/Transforms/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCPROMOTELOCALS
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Loops in callbacks
//===----------------------------------------------------------------------===//

/// Iterations that are unrolled at most: past this the code outgrows what it
/// saves.
static constexpr int64_t kMaxUnrolled = 64;

/// The counter's values, if `loop` runs between constants.
static std::optional<SmallVector<int64_t>> getCounterValues(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.sle(0))
    return std::nullopt;
  SmallVector<int64_t> values;
  for (int64_t at = lower.getSExtValue(); at < upper.getSExtValue();
       at += step.getSExtValue()) {
    if (values.size() == kMaxUnrolled)
      return std::nullopt;
    values.push_back(at);
  }
  return values;
}

static void unroll(scf::ForOp loop, ArrayRef<int64_t> counters,
                   ConstantPool &constants) {
  OpBuilder builder(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t counter : counters) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), constants.getIndex(counter));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    for (auto [value, yielded] :
         llvm::zip(carried, loop.getBody()->getTerminator()->getOperands()))
      value = mapping.lookupOrDefault(yielded);
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

/// Whether `op` uses memory that a loop might keep in registers.
static bool usesPlace(Operation *op) {
  if (isa<memref::StoreOp, vector::StoreOp, vector::MaskedStoreOp>(op))
    return true;
  return isa<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp>(op) &&
         op->getOperand(0).getDefiningOp<LocalOp>();
}

/// Unrolls the innermost loops of callbacks that go over such places.
static void unrollCallbackLoops(KernelOp kernel) {
  ConstantPool constants(kernel);
  kernel.walk([&](scf::ForOp loop) {
    bool isInnermost = llvm::all_of(
        *loop.getBody(), [](Operation &op) { return op.getNumRegions() == 0; });
    bool uses = llvm::any_of(*loop.getBody(),
                             [](Operation &op) { return usesPlace(&op); });
    if (!isInnermost || !uses)
      return;
    if (auto counters = getCounterValues(loop))
      unroll(loop, *counters, constants);
  });
}

//===----------------------------------------------------------------------===//
// Finding the places that a loop may carry
//===----------------------------------------------------------------------===//

namespace {

/// A place that the core uses in a loop.
struct LoopPlace {
  Place place;
  bool isWritten = false; ///< In the loop.
  /// The block that holds the loop uses it too.
  bool isUsedOutside = false;
};

/// Finds out what a loop does with which places.
class PlaceFinder {
public:
  PlaceFinder(ForOp loop, bool allowsMasks)
      : loop(loop), allowsMasks(allowsMasks) {}

  /// Places that stay the same in all iterations, and are used whether the loop
  /// runs or not; those that are written come first.
  SmallVector<LoopPlace> find() {
    loop->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    if (isOpaque)
      return {};
    findUsedOutside();
    llvm::erase_if(found, [&](const LoopPlace &known) {
      return !known.isUsedOutside || excluded.contains(known.place.buffer);
    });
    llvm::stable_sort(found, [](const LoopPlace &a, const LoopPlace &b) {
      return a.isWritten > b.isWritten;
    });
    return std::move(found);
  }

private:
  void visit(Operation *op) {
    // These hold operations that are visited by themselves.
    if (isa<ForOp, IfOp, CallbackOp>(op))
      return;
    std::optional<Access> access = Access::get(op);
    if (!access) {
      MemoryUse use = getMemoryUse(op);
      excluded.insert(use.reads.begin(), use.reads.end());
      excluded.insert(use.writes.begin(), use.writes.end());
      isOpaque |= use.unknown;
      return;
    }
    const Place &place = access->place;
    // What control flow of the core skips cannot be handed on as a value.
    if (!isa<CallbackOp>(op->getParentOp()) || !isInvariant(place) ||
        (!allowsMasks && isMasked(place))) {
      excluded.insert(place.buffer);
      return;
    }
    LoopPlace *known = lookup(place);
    if (!known) {
      if (!isApart(place))
        excluded.insert(place.buffer);
      known = &found.emplace_back(LoopPlace{place});
    }
    known->isWritten |= bool(access->stored);
  }

  /// A place may lie outside of its buffer if it is not used after all, so the
  /// block that holds the loop has to use it too.
  void findUsedOutside() {
    for (auto callback : loop->getBlock()->getOps<CallbackOp>())
      for (Operation &op : callback.getBody().front())
        if (std::optional<Access> access = Access::get(&op))
          if (LoopPlace *known = lookup(access->place))
            known->isUsedOutside = true;
  }

  LoopPlace *lookup(const Place &place) {
    auto *known = llvm::find_if(
        found, [&](const LoopPlace &other) { return other.place == place; });
    return known == found.end() ? nullptr : known;
  }

  bool isInvariant(const Place &place) {
    return llvm::all_of(place.outer, [&](OpFoldResult index) {
      auto value = dyn_cast<Value>(index);
      return !value || !loop.getBody().isAncestor(value.getParentRegion());
    });
  }

  static bool isMasked(const Place &place) {
    auto vector = dyn_cast<VectorType>(place.type);
    return vector && place.valid != vector.getNumElements();
  }

  bool isApart(const Place &place) {
    return llvm::all_of(found, [&](const LoopPlace &other) {
      return other.place.isDisjoint(place);
    });
  }

  ForOp loop;
  bool allowsMasks;
  SmallVector<LoopPlace> found;
  DenseSet<Value> excluded;
  /// Something in the loop may use any memory.
  bool isOpaque = false;
};

//===----------------------------------------------------------------------===//
// Carrying them
//===----------------------------------------------------------------------===//

/// Keeps places of memory in registers during one loop, which carries those
/// that it writes.
class LoopPromotion {
public:
  LoopPromotion(ForOp loop, ArrayRef<LoopPlace> places)
      : loop(loop), places(places), builder(loop) {}

  void run() {
    Values values = loadBefore();
    auto after = CallbackOp::create(builder, loop.getLoc(), {}, {});
    after->moveAfter(loop);
    carry(loop, values);
    builder.setInsertionPointToStart(&after.getBody().front());
    for (auto [known, value] : llvm::zip(places, getWritten(values)))
      known.place.store(builder, after.getLoc(), value);
  }

private:
  /// What each of the places holds.
  using Values = SmallVector<Value>;

  Values loadBefore() {
    auto before = CallbackOp::create(builder, loop.getLoc(), {}, {});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&before.getBody().front());
    return llvm::map_to_vector(places, [&](const LoopPlace &known) {
      return known.place.load(builder, loop.getLoc());
    });
  }

  /// The values of the places that the loop writes, which come first.
  ArrayRef<Value> getWritten(const Values &values) {
    return ArrayRef(values).take_front(llvm::count_if(
        places, [](const LoopPlace &known) { return known.isWritten; }));
  }

  /// Lets `carrier` carry what is written, and replaces the accesses in it.
  /// `values` are from before it, and then from after it.
  void carry(ForOp carrier, Values &values) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(carrier);
    size_t kept = carrier.getInits().size();
    SmallVector<Value> inits(carrier.getInits());
    llvm::append_range(inits, getWritten(values));
    auto carrying = ForOp::create(
        builder, carrier.getLoc(), carrier.getLabel(), carrier.getLower(),
        carrier.getUpper(), carrier.getStep(), inits, carrier.getParallel());
    Block &body = carrying.getBody().front();
    moveBody(carrier, body);
    Values inside = values;
    llvm::copy(carrying.getIterArgs().drop_front(kept), inside.begin());
    promote(body, inside);
    body.getTerminator()->insertOperands(kept, getWritten(inside));
    carrier->replaceAllUsesWith(carrying.getResults().take_front(kept));
    llvm::copy(carrying.getResults().drop_front(kept), values.begin());
    carrier.erase();
  }

  /// Moves what `from` does into `body`, whose first arguments are the same.
  static void moveBody(ForOp from, Block &body) {
    body.clear();
    Block &old = from.getBody().front();
    for (auto [before, after] :
         llvm::zip(old.getArguments(), body.getArguments()))
      before.replaceAllUsesWith(after);
    body.getOperations().splice(body.end(), old.getOperations());
  }

  /// Whether something in `inner` uses one of the places.
  bool uses(ForOp inner) {
    return inner
        ->walk([&](Operation *op) {
          std::optional<Access> access = Access::get(op);
          bool known = access && llvm::any_of(places, [&](const LoopPlace &p) {
                         return p.place == access->place;
                       });
          return known ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  Value *lookup(const Place &place, Values &values) {
    const auto *known = llvm::find_if(
        places, [&](const LoopPlace &other) { return other.place == place; });
    return known == places.end() ? nullptr : &values[known - places.begin()];
  }

  /// Replaces the accesses in `block`. `values` are from before it, and then
  /// from after it.
  void promote(Block &block, Values &values) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto callback = dyn_cast<CallbackOp>(op))
        promoteAccesses(callback.getBody().front(), values);
      else if (auto choice = dyn_cast<IfOp>(op))
        promoteChoice(choice, values);
      else if (auto inner = dyn_cast<ForOp>(op); inner && uses(inner))
        carry(inner, values);
    }
  }

  void promoteAccesses(Block &block, Values &values) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      std::optional<Access> access = Access::get(&op);
      Value *value = access ? lookup(access->place, values) : nullptr;
      if (!value)
        continue;
      if (access->stored)
        *value = access->stored;
      else
        op.getResult(0).replaceAllUsesWith(*value);
      op.erase();
    }
  }

  void promoteChoice(IfOp choice, Values &values) {
    Values taken = values, otherwise = values;
    promote(choice.getThenRegion().front(), taken);
    if (!choice.getElseRegion().empty())
      promote(choice.getElseRegion().front(), otherwise);
    SmallVector<size_t> changed;
    for (size_t i = 0; i != values.size(); ++i)
      if (taken[i] != values[i] || otherwise[i] != values[i])
        changed.push_back(i);
    if (changed.empty())
      return;
    SmallVector<Type> types(choice.getResultTypes());
    for (size_t i : changed)
      types.push_back(values[i].getType());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(choice);
    auto extended = IfOp::create(builder, choice.getLoc(), types,
                                 choice.getCondition(), /*withElse=*/true);
    extend(choice.getThenRegion(), extended.getThenRegion(), changed, taken);
    extend(choice.getElseRegion(), extended.getElseRegion(), changed,
           otherwise);
    size_t kept = choice.getNumResults();
    choice->replaceAllUsesWith(extended.getResults().take_front(kept));
    for (auto [i, result] :
         llvm::zip(changed, extended.getResults().drop_front(kept)))
      values[i] = result;
    choice.erase();
  }

  /// Moves the branch `from`, which may be missing, to `to` and lets it yield
  /// `changed` of `values` besides.
  void extend(Region &from, Region &to, ArrayRef<size_t> changed,
              const Values &values) {
    Block &block = to.front();
    if (from.empty()) {
      builder.setInsertionPointToEnd(&block);
      YieldOp::create(builder, loop.getLoc(), ValueRange());
    } else {
      block.getOperations().splice(block.end(), from.front().getOperations());
    }
    Operation *yield = block.getTerminator();
    for (size_t i : changed)
      yield->insertOperands(yield->getNumOperands(), values[i]);
  }

  ForOp loop;
  ArrayRef<LoopPlace> places;
  OpBuilder builder;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether lanes of vectors are brought together: what lies in those that a
/// mask leaves out is then not without meaning.
static bool mixesLanes(KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool mixes =
            isa<vector::VectorDialect>(op->getDialect()) &&
            !isa<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
                 vector::MaskedStoreOp, vector::BroadcastOp,
                 vector::ConstantMaskOp, vector::StepOp, vector::FMAOp>(op);
        return mixes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct PromoteLocals : ember::slc::impl::SlcPromoteLocalsBase<PromoteLocals> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    unrollCallbackLoops(kernel);
    bool allowsMasks = !mixesLanes(kernel);
    int64_t budget = TargetShape::lookup(kernel).getFreeRegisters();
    // Inner loops first: what they leave around them, outer ones carry on.
    SmallVector<ForOp> loops;
    kernel.walk([&](ForOp loop) { loops.push_back(loop); });
    for (ForOp loop : loops) {
      SmallVector<LoopPlace> places = PlaceFinder(loop, allowsMasks).find();
      int64_t carried =
          llvm::count_if(loop.getInits().getTypes(), llvm::IsaPred<VectorType>);
      int64_t room = std::max<int64_t>(budget - carried, 0);
      places.truncate(std::min<size_t>(places.size(), room));
      if (!places.empty())
        LoopPromotion(loop, places).run();
    }
    forwardStores(kernel);
    yieldEscapingValues(kernel);
    eraseDeadCode(kernel);
  }
};
} // namespace
