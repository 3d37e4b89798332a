//===- Lookup.cpp - emb.lookup --------------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The loops of a lookup, as lowerToLoops emits them. Indices of any rank other
// than 1, and `out` with them, are first viewed as flat ones:
//
//   ... checks of sizes and padding, which give %ok ...
//   scf.if %ok {
//     scf.for %p = %c0 to %count step %c1 {
//       %i = memref.load %indices[%p]
//       scf.for %d = ... { out[p, d] = table[i, d] }
//     } {ember.kernel = "lookup", ember.parallel}
//   }
//
// With `skip_negative` the row is copied if the index is kept, and filled with
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

//===----------------------------------------------------------------------===//
// Interface and verifier
//===----------------------------------------------------------------------===//

SmallVector<IndexOperand> LookupOp::getIndexOperands() {
  return {{"indices", &getIndicesMutable(), &getTableMutable(), getOob()}};
}

LogicalResult LookupOp::verify() {
  Operation *op = *this;
  SmallVector<int64_t> shape(getIndices().getType().getShape());
  shape.push_back(getTable().getType().getDimSize(1));
  if (failed(verifyElementType(op, "out", getOut(), getTable())) ||
      failed(verifyShape(op, "out", getOut(), shape)))
    return failure();
  return verifyPadding(op, getPaddingIdx(), getTable());
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult LookupOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder b(getLoc(), builder);
  IndexOperand operand = getIndexOperands().front();

  HostChecks checks(b);
  Value rows = b.dim(getTable(), 0), columns = b.dim(getTable(), 1);
  if (std::optional<int64_t> padding = getPaddingIdx())
    checks.checkPadding(*padding, rows);
  int64_t rank = getIndices().getType().getRank();
  for (int64_t i = 0; i < rank; ++i)
    checks.checkSize("out", getOut(), i, b.dim(getIndices(), i));
  checks.checkSize("out", getOut(), rank, columns);

  Value indices = b.flattenLeading(getIndices(), /*inner=*/0);
  if (!indices)
    return emitOpError("needs indices without gaps to loop over, but got ")
           << getIndices().getType();
  Value out = b.flattenLeading(getOut(), /*inner=*/1);
  if (!out)
    return emitOpError("needs an out without gaps between rows to loop over, "
                       "but got ")
           << getOut().getType();
  Value zero = b.constant(0), count = b.dim(indices, 0);

  if (getTable().getType().getDimSize(1) == 0) {
    b.when(checks.ok(),
           [&] { checks.checkIndices(operand, indices, count, rows); });
    return success();
  }

  b.when(checks.ok(), [&] {
    RowPolicy policy(b, operand.oob, rows, /*padding=*/Value());
    scf::ForOp loop = b.loop(zero, count, [&](Value position) {
      RowPolicy::Row row = policy.apply(b.loadIndex(indices, position));
      auto copyRow = [&] {
        b.loop(zero, columns, [&](Value column) {
          b.store(b.load(getTable(), {row.number, column}), out,
                  {position, column});
        });
      };
      if (!row.keep)
        return copyRow();
      b.when(row.keep, copyRow, /*otherwise=*/[&] {
        auto type = cast<FloatType>(getElementTypeOrSelf(out.getType()));
        b.loop(zero, columns, [&](Value column) {
          b.store(b.zero(type), out, {position, column});
        });
      });
    });
    markKernel(loop, "lookup");
  });
  return success();
}
