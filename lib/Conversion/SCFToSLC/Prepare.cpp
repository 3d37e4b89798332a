//===- Prepare.cpp - What a nest needs done before it is cut --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// Loop nests made element by element read the row number again for each
// column:
//
//     scf.for %d = %c0 to %c64 step %c1 {      %i = memref.load %rows[%p]
//       %i = memref.load %rows[%p]        ==>  scf.for %d = %c0 to %c64 ... {
//       %x = memref.load %table[%i, %d]          %x = memref.load %table[%i,
//       %d]
//
// The access unit would do the same, and the rows could not be sent whole.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace ember;

namespace {

class Hoister {
public:
  Hoister(scf::ForOp nest, Aliasing &aliasing)
      : nest(nest), aliasing(aliasing) {
    nest.walk([&](Operation *op) {
      slc::MemoryUse use = slc::getMemoryUse(op);
      written.insert_range(use.writes);
      writesAnything |= use.unknown;
    });
  }

  void run() {
    // Inner loops first, so that what leaves one may leave the next.
    nest.walk([&](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(loop);
      auto counted = dyn_cast<scf::ForOp>(*loop);
      if (counted && counted != nest && runs(counted))
        while (hoistLoads(counted))
          moveLoopInvariantCode(loop);
    });
  }

private:
  /// Whether `loop` is known to have an iteration: a load that is never run
  /// must not become one that is.
  static bool runs(scf::ForOp loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    return trips && !trips->isZero();
  }

  bool isUnchanged(Value memref) {
    Value buffer = slc::getRootBuffer(memref);
    return !writesAnything && llvm::none_of(written, [&](Value other) {
      return other == buffer || aliasing.mayAlias(other, buffer);
    });
  }

  /// Moves the loads that can move out of `loop`; returns whether any did.
  bool hoistLoads(scf::ForOp loop) {
    bool moved = false;
    for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
      auto load = dyn_cast<memref::LoadOp>(op);
      if (!load || !isUnchanged(load.getMemRef()) ||
          !llvm::all_of(load->getOperands(), [&](Value operand) {
            return loop.isDefinedOutsideOfLoop(operand);
          }))
        continue;
      load->moveBefore(loop);
      moved = true;
    }
    return moved;
  }

  scf::ForOp nest;
  Aliasing &aliasing;
  llvm::SmallSetVector<Value, 4> written;
  bool writesAnything = false;
};

} // namespace

void ember::hoistInvariants(scf::ForOp nest, Aliasing &aliasing) {
  Hoister(nest, aliasing).run();
}
