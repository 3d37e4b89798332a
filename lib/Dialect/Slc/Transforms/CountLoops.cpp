//===- CountLoops.cpp - Tell trip counts instead of iterations ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//   slc.for @elems %p = %p0 to %p1 step %c1 { ... }
//     ==>
//   slc.for @elems %p = %p0 to %p1 step %c1 counted { ... }
//
// The core then takes one count a loop instead of a token an iteration, or
// nothing where it knows the bounds. A loop whose iterations the access side
// leaves out, such as padding, keeps its tokens: its bounds do not tell how
// many there are.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCCOUNTLOOPS
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember::slc;

namespace {
struct CountLoops : ember::slc::impl::SlcCountLoopsBase<CountLoops> {
  void runOnOperation() override {
    getOperation().walk([](ForOp loop) {
      if (isa<KernelOp>(loop->getParentOp()))
        return; // Both sides know its bounds.
      bool countable =
          loop.hasKnownBounds() || matchPattern(loop.getStep(), m_One());
      if (countable && !findFilter(loop))
        loop.setCounted(true);
    });
  }
};
} // namespace
