//===- Spmm.cpp - emb.spmm ------------------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A product of a sparse and a dense matrix lowers to
//
//   ... checks of sizes and row pointers, which give %ok ...
//   scf.if %ok {
//     ... the nest of SegmentReduction.cpp, over the sparse matrix's rows ...
//   }
//
//===----------------------------------------------------------------------===//

#include "HostChecks.h"
#include "LoopBuilder.h"
#include "SegmentReduction.h"
#include "Verify.h"

#include "ember/Dialect/Emb/IR/Emb.h"

using namespace mlir;
using namespace ember::emb;

//===----------------------------------------------------------------------===//
// Interface and verifier
//===----------------------------------------------------------------------===//

SmallVector<IndexOperand> SpmmOp::getIndexOperands() {
  return {{"columns", &getColumnsMutable(), &getTableMutable(), getOob()}};
}

SmallVector<BoundsOperand> SpmmOp::getBoundsOperands() {
  return {{"rowptr", &getRowptrMutable(), &getColumnsMutable()}};
}

LogicalResult SpmmOp::verify() {
  Operation *op = *this;
  if (failed(verifyMode(op, getMode(),
                        {Mode::Sum, Mode::Mean, Mode::Max, Mode::Min})) ||
      failed(verifyRank(op, "rowptr", getRowptr(), 1)) ||
      failed(verifyRank(op, "columns", getColumns(), 1)))
    return failure();
  if (Value values = getValues())
    if (failed(verifyRank(op, "values", values, 1)) ||
        failed(verifyElementType(op, "values", values, getTable())) ||
        failed(verifyShape(op, "values", values,
                           {getColumns().getType().getDimSize(0)})))
      return failure();
  int64_t rows = getRowptr().getType().getDimSize(0);
  if (rows == 0)
    return emitOpError("expects at least one row pointer");
  if (!ShapedType::isDynamic(rows))
    --rows;
  int64_t columns = getTable().getType().getDimSize(1);
  return success(
      succeeded(verifyRank(op, "out", getOut(), 2)) &&
      succeeded(verifyElementType(op, "out", getOut(), getTable())) &&
      succeeded(verifyShape(op, "out", getOut(), {rows, columns})));
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

LogicalResult SpmmOp::lowerToLoops(OpBuilder &builder) {
  LoopBuilder b(getLoc(), builder);
  HostChecks checks(b);
  Value edges = b.dim(getColumns(), 0), pointers = b.dim(getRowptr(), 0);
  Value rows = b.max(b.sub(pointers, b.constant(1)), b.constant(0));
  if (getValues())
    checks.checkSize("values", getValues(), 0, edges);
  checks.checkRowPointers(getBoundsOperands().front(), pointers, edges);
  checks.checkSize("out", getOut(), 0, rows);
  checks.checkSize("out", getOut(), 1, b.dim(getTable(), 1));

  SegmentReduction product;
  product.index = getIndexOperands().front();
  product.table = getTable();
  product.indices = getColumns();
  product.bounds = getRowptr();
  product.weights = getValues();
  product.out = getOut();
  if (getMode() == Mode::Mean)
    product.divisor = Divisor::Rows;
  if (getMode() == Mode::Max)
    product.combiner = Combiner::Maximum;
  if (getMode() == Mode::Min)
    product.combiner = Combiner::Minimum;
  b.when(checks.ok(), [&] { product.emit(b, "spmm", rows); });
  return success();
}
