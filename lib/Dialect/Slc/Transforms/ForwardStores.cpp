//===- ForwardStores.cpp - Values instead of memory within a block --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   slc.callback { vector.store %a, %local[0] }
//   slc.callback { %b = vector.load %local[0]   vector.store %b, %out[..] }
//     ==>
//   slc.callback { vector.store %a, %out[..] }
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "ember/Dialect/Slc/Transforms/Utils.h"

using namespace mlir;
using namespace ember::slc;

namespace {

/// Hands on what the callbacks of a block store to those that load it, and
/// erases stores that others overwrite.
class BlockForwarding {
public:
  explicit BlockForwarding(Block &block) : block(block) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto callback = dyn_cast<CallbackOp>(op)) {
        for (Operation &inner :
             llvm::make_early_inc_range(callback.getBody().front()))
          visit(inner);
      } else if (isa<ForOp, IfOp>(op)) {
        op.walk([&](Operation *inner) { forget(inner); });
      }
    }
  }

private:
  /// What a place holds.
  struct Content {
    Place place;
    Value value;
    Operation *store = nullptr; ///< Which nobody has read yet.
  };

  void visit(Operation &op) {
    std::optional<Access> access = Access::get(&op);
    if (!access) {
      op.walk([&](Operation *inner) { forget(inner); });
      return;
    }
    const Place &place = access->place;
    Content *known = llvm::find_if(
        contents, [&](const Content &other) { return other.place == place; });
    bool isKnown = known != contents.end();
    if (!access->stored) {
      if (isKnown) {
        op.getResult(0).replaceAllUsesWith(known->value);
        op.erase();
        return;
      }
      keepStores(place);
      contents.push_back({place, op.getResult(0)});
      return;
    }
    if (isKnown && known->store)
      known->store->erase();
    llvm::erase_if(contents, [&](const Content &other) {
      return !other.place.isDisjoint(place);
    });
    contents.push_back({place, access->stored, &op});
  }

  /// A load of `place` may read what was stored to others.
  void keepStores(const Place &place) {
    for (Content &other : contents)
      if (!other.place.isDisjoint(place))
        other.store = nullptr;
  }

  /// `op` uses memory in a way that is not followed.
  void forget(Operation *op) {
    if (isa<ForOp, IfOp, CallbackOp>(op) || op->getNumRegions())
      return;
    MemoryUse use = getMemoryUse(op);
    if (use.unknown) {
      contents.clear();
      return;
    }
    for (Content &content : contents)
      if (llvm::is_contained(use.reads, content.place.buffer))
        content.store = nullptr;
    llvm::erase_if(contents, [&](const Content &content) {
      return llvm::is_contained(use.writes, content.place.buffer);
    });
  }

  Block &block;
  SmallVector<Content> contents;
};

} // namespace

/// Erases locals that are never read, and the stores to them.
static void eraseUnreadLocals(KernelOp kernel) {
  for (auto local : llvm::make_early_inc_range(kernel.getOps<LocalOp>())) {
    auto users = llvm::to_vector(local->getUsers());
    bool onlyStored = llvm::all_of(users, [](Operation *user) {
      std::optional<Access> access = Access::get(user);
      return access && access->stored;
    });
    if (!onlyStored)
      continue;
    for (Operation *user : users)
      user->erase();
    local.erase();
  }
}

void ember::slc::forwardStores(KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (isa<KernelOp, ForOp, IfOp>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          BlockForwarding(block).run();
  });
  eraseUnreadLocals(kernel);
}
