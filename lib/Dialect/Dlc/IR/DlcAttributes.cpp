//===- DlcAttributes.cpp - Attributes of the dlc dialect --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember::dlc;

#include "ember/Dialect/Dlc/IR/DlcEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Dlc/IR/DlcAttributes.cpp.inc"

void DlcDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Dlc/IR/DlcAttributes.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringRef machine,
    int64_t vectorBits, bool accessUnit, int64_t lanes, int64_t layers,
    int64_t storageBytes, int64_t dataQueueBytes, int64_t scalarQueueBytes,
    int64_t tokenQueueBytes, bool siblingLoops, bool predicate, bool store,
    bool boundsFault, StringRef triple, StringRef cpu, StringRef features) {
  if (vectorBits < 64 || !llvm::isPowerOf2_64(vectorBits))
    return emitError() << "vector_bits must be a power of two of at least 64, "
                          "but is "
                       << vectorBits;
  if (!accessUnit)
    return success();
  if (lanes < 1 || layers < 1 || storageBytes < 1)
    return emitError() << "an access unit has at least one lane, one layer and "
                          "one byte of storage";
  for (auto [name, bytes] :
       {std::pair<StringRef, int64_t>{"data_queue_bytes", dataQueueBytes},
        {"scalar_queue_bytes", scalarQueueBytes},
        {"token_queue_bytes", tokenQueueBytes}})
    if (bytes < 64 || !llvm::isPowerOf2_64(bytes))
      return emitError() << name
                         << " must be a power of two of at least 64, but is "
                         << bytes;
  return success();
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(attributeName))
      return target;
  return {};
}
