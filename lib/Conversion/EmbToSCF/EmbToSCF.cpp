//===- EmbToSCF.cpp - Lower emb operations to loops -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   emb.lookup ins(%table, %indices : ...) outs(%out : memref<?x64xf32>)
//
// becomes
//
//   ... the checks that are the host's, which give %ok ...
//   scf.if %ok {
//     scf.for %p = %c0 to %count step %c1 {
//       %i = memref.load %indices[%p]
//       scf.for %d = %c0 to %c64 step %c1 { out[p, d] = table[i, d] }
//     } {ember.kernel = "lookup", ember.parallel}
//   }
//
// What the loops are is each operation's own business (EmbOpInterface).
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/Passes.h"
#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Emb/IR/Emb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTEMBTOSCF
#include "ember/Conversion/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {
struct ConvertEmbToSCF : ember::impl::ConvertEmbToSCFBase<ConvertEmbToSCF> {
  void runOnOperation() override {
    SmallVector<emb::EmbOpInterface> ops;
    getOperation()->walk([&](emb::EmbOpInterface op) { ops.push_back(op); });
    for (emb::EmbOpInterface op : ops)
      if (failed(convert(op)))
        return signalPassFailure();
  }

  static LogicalResult convert(emb::EmbOpInterface op) {
    auto dpsOp = cast<DestinationStyleOpInterface>(op.getOperation());
    if (!dpsOp.hasPureBufferSemantics())
      return op->emitOpError("is on tensors, and only operations on memrefs "
                             "become loops: run ember-bufferize first");
    OpBuilder builder(op);
    if (failed(op.lowerToLoops(builder)))
      return failure();
    op->erase();
    return success();
  }
};
} // namespace
