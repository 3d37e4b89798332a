//===- BlockGather.cpp - emb.block_gather ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The loops of a gather of blocks, as lowerToLoops emits them. The table is
// seen as blocks, so that an index is held against their number:
//
//   %view = memref.expand_shape %table [[0, 1], [2]]      // N / block, block,
//   D
//   ... checks of sizes, which give %ok ...
//   scf.if %ok {
//     scf.for %p = %c0 to %count step %c1 {
//       %i = memref.load %indices[%p]
//       scf.for %j = %c0 to %block step %c1 {
//         scf.for %d = ... { out[p, j, d] = view[i, j, d] } }
//     } {ember.kernel = "block_gather", ember.parallel}
//   }
//
// With `skip_negative` a block is copied if its index is kept, and filled with
// zeros if it is not.
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"
#include "LoopBuilder.h"
#include "RowPolicy.h"
#include "Verify.h"

#include "ember/Dialect/Emb/IR/Emb.h"

using namespace mlir;
using namespace ember::emb;

SmallVector<IndexOperand> BlockGatherOp::getIndexOperands() {
  return {{"indices", &getIndicesMutable(), &getTableMutable(), getOob()}};
}

LogicalResult BlockGatherOp::verify() {
  Operation *op = *this;
  SmallVector<int64_t> shape(getIndices().getType().getShape());
  shape.push_back(getBlock());
  shape.push_back(getTable().getType().getDimSize(1));
  if (failed(verifyElementType(op, "out", getOut(), getTable())) ||
      failed(verifyShape(op, "out", getOut(), shape)))
    return failure();
  return verifyBlocks(op, "table", getTable(), getBlock());
}

LogicalResult BlockGatherOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder b(getLoc(), builder);
  IndexOperand operand = getIndexOperands().front();
  int64_t size = getBlock();

  HostChecks checks(b);
  Value blocks = checks.checkBlocks("table", getTable(), size);
  int64_t rank = getIndices().getType().getRank();
  for (int64_t i = 0; i < rank; ++i)
    checks.checkSize("out", getOut(), i, b.dim(getIndices(), i));

  Value indices = b.flattenLeading(getIndices(), /*inner=*/0);
  if (!indices)
    return emitOpError("needs indices without gaps to loop over, but got ")
           << getIndices().getType();
  Value out = b.flattenLeading(getOut(), /*inner=*/2);
  if (!out)
    return emitOpError("needs an out without gaps between blocks to loop over, "
                       "but got ")
           << getOut().getType();
  Value zero = b.constant(0), count = b.dim(indices, 0);

  if (getTable().getType().getDimSize(1) == 0) {
    b.when(checks.ok(),
           [&] { checks.checkIndices(operand, indices, count, blocks); });
    return success();
  }

  b.when(checks.ok(), [&] {
    Value view = b.viewAsBlocks(getTable(), blocks, size);
    RowPolicy policy(b, operand.oob, blocks, /*padding=*/Value());
    Value rows = b.constant(size), columns = b.dim(getTable(), 1);
    scf::ForOp loop = b.loop(zero, count, [&](Value position) {
      RowPolicy::Row index = policy.apply(b.loadIndex(indices, position));
      auto writeBlock = [&](function_ref<Value(Value, Value)> element) {
        b.loop(zero, rows, [&](Value row) {
          b.loop(zero, columns, [&](Value column) {
            b.store(element(row, column), out, {position, row, column});
          });
        });
      };
      auto copyBlock = [&] {
        writeBlock([&](Value row, Value column) {
          return b.load(view, {index.number, row, column});
        });
      };
      if (!index.keep)
        return copyBlock();
      b.when(index.keep, copyBlock, /*otherwise=*/[&] {
        auto type = cast<FloatType>(getElementTypeOrSelf(out.getType()));
        writeBlock([&](Value, Value) { return b.zero(type); });
      });
    });
    markKernel(loop, "block_gather");
  });
  return success();
}
