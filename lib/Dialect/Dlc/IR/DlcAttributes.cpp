//===- DlcAttributes.cpp - Attributes of the dlc dialect ------------------===//
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

/// Checks one of the three capacities.
static LogicalResult
verifyCapacity(function_ref<InFlightDiagnostic()> emitError, StringRef name,
               int64_t bytes) {
  if (bytes >= 64 && llvm::isPowerOf2_64(bytes))
    return success();
  return emitError() << name
                     << " must be a power of two of at least 64, but is "
                     << bytes;
}

LogicalResult QueuesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t data, int64_t scalar, int64_t token) {
  return success(succeeded(verifyCapacity(emitError, "data", data)) &&
                 succeeded(verifyCapacity(emitError, "scalar", scalar)) &&
                 succeeded(verifyCapacity(emitError, "token", token)));
}

int64_t QueuesAttr::getCapacity(QueueKind queue) const {
  switch (queue) {
  case QueueKind::Data:
    return getData();
  case QueueKind::Scalar:
    return getScalar();
  case QueueKind::Token:
    return getToken();
  }
  llvm_unreachable("all queues are listed");
}

LogicalResult TargetAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringRef machine,
    int64_t cores, int64_t vectorBits, bool accessUnit, int64_t lanes,
    int64_t layers, int64_t storageBytes, int64_t dataQueueBytes,
    int64_t scalarQueueBytes, int64_t tokenQueueBytes, bool siblingLoops,
    bool predicate, bool store, bool boundsFault, StringRef triple,
    StringRef cpu, StringRef features) {
  if (cores < 1 || cores > DlcDialect::maxCores)
    return emitError() << "cores must be from 1 to " << DlcDialect::maxCores
                       << ", but is " << cores;
  if (vectorBits < 64 || !llvm::isPowerOf2_64(vectorBits))
    return emitError() << "vector_bits must be a power of two of at least 64, "
                          "but is "
                       << vectorBits;
  if (!accessUnit)
    return success();
  if (lanes < 1 || layers < 1 || storageBytes < 1)
    return emitError() << "an access unit has at least one lane, one layer and "
                          "one byte of storage";
  return success(succeeded(verifyCapacity(emitError, "data_queue_bytes",
                                          dataQueueBytes)) &&
                 succeeded(verifyCapacity(emitError, "scalar_queue_bytes",
                                          scalarQueueBytes)) &&
                 succeeded(verifyCapacity(emitError, "token_queue_bytes",
                                          tokenQueueBytes)));
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(attributeName))
      return target;
  return {};
}
