//===- SlcDialect.cpp - The slc dialect -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::slc;

#include "ember/Dialect/Slc/IR/SlcDialect.cpp.inc"

#include "ember/Dialect/Slc/IR/SlcEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Slc/IR/SlcAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ember/Dialect/Slc/IR/SlcTypes.cpp.inc"

void SlcDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ember/Dialect/Slc/IR/SlcTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Slc/IR/SlcAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Slc/IR/SlcOps.cpp.inc"
      >();
}

LogicalResult StreamType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType) {
  if (auto vector = dyn_cast<VectorType>(elementType)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return emitError() << "a stream of vectors needs vectors of one fixed "
                            "dimension, not "
                         << vector;
    elementType = vector.getElementType();
  }
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "a stream carries integers, index or floats, not "
                       << elementType;
  return success();
}

LogicalResult ChunkType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t size, Type elementType) {
  if (size <= 0)
    return emitError() << "a chunk holds at least one element, not " << size;
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "a chunk holds integers, index or floats, not "
                       << elementType;
  return success();
}

Type ChunkType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  if (shape.size() != 1) {
    parser.emitError(loc, "a chunk has one dimension");
    return {};
  }
  return ChunkType::getChecked([&] { return parser.emitError(loc); },
                               parser.getContext(), shape.front(), elementType);
}

void ChunkType::print(AsmPrinter &printer) const {
  printer << '<' << getSize() << 'x' << getElementType() << '>';
}

MemRefType ChunkType::getMemRefType() const {
  return MemRefType::get({getSize()}, getElementType(),
                         MemRefLayoutAttrInterface(),
                         QueueSpaceAttr::get(getContext()));
}
