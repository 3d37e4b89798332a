//===- Verify.cpp - Checks shared by the verifiers of emb ops -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace ember::emb;

LogicalResult ember::emb::verifyMode(Operation *op, Mode mode,
                                     ArrayRef<Mode> allowed) {
  if (llvm::is_contained(allowed, mode))
    return success();
  InFlightDiagnostic diag = op->emitOpError() << "expects one of the modes ";
  llvm::interleaveComma(allowed, diag,
                        [&](Mode each) { diag << stringifyMode(each); });
  return diag << ", but got " << stringifyMode(mode);
}

LogicalResult ember::emb::verifyRank(Operation *op, StringRef name, Value value,
                                     int64_t rank) {
  auto type = cast<ShapedType>(value.getType());
  if (type.getRank() == rank)
    return success();
  return op->emitOpError() << "expects " << name << " of rank " << rank
                           << ", but got " << type;
}

LogicalResult ember::emb::verifyElementType(Operation *op, StringRef name,
                                            Value value, Value table) {
  Type expected = getElementTypeOrSelf(table.getType());
  Type actual = getElementTypeOrSelf(value.getType());
  if (actual == expected)
    return success();
  return op->emitOpError() << "expects " << name
                           << " of the table's element type " << expected
                           << ", but got " << actual;
}

LogicalResult ember::emb::verifyShape(Operation *op, StringRef name,
                                      Value value, ArrayRef<int64_t> shape) {
  auto type = cast<ShapedType>(value.getType());
  if (succeeded(verifyCompatibleShape(type.getShape(), shape)))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expects " << name << " of shape (";
  llvm::interleaveComma(shape, diag, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      diag << "?";
    else
      diag << size;
  });
  return diag << "), but got " << type;
}

LogicalResult ember::emb::verifyPadding(Operation *op,
                                        std::optional<int64_t> padding,
                                        Value table) {
  int64_t rows = cast<ShapedType>(table.getType()).getDimSize(0);
  if (!padding || ShapedType::isDynamic(rows) ||
      (*padding >= -rows && *padding < rows))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expects padding_idx to name a row of the table";
  if (rows == 0)
    return diag << ", which has none, but got " << *padding;
  return diag << ", " << -rows << " to " << rows - 1 << ", but got "
              << *padding;
}

LogicalResult ember::emb::verifyBlocks(Operation *op, StringRef name,
                                       Value value, int64_t block) {
  int64_t rows = cast<ShapedType>(value.getType()).getDimSize(0);
  if (ShapedType::isDynamic(rows) || rows % block == 0)
    return success();
  return op->emitOpError() << "expects whole blocks of " << block << " rows in "
                           << name << ", but got " << value.getType();
}
