//===- DlcDialect.cpp - The dlc dialect -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace ember::dlc;

#include "ember/Dialect/Dlc/IR/DlcDialect.cpp.inc"

void DlcDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Dlc/IR/DlcOps.cpp.inc"
      >();
}

LogicalResult DlcDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == userNameAttr &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError("expects a string as '") << userNameAttr << "'";
  if (attribute.getName() != coresAttr)
    return success();
  auto cores = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!cores || !cores.getValue().sge(1) || !cores.getValue().sle(maxCores))
    return op->emitOpError("expects an integer from 1 to ")
           << maxCores << " as '" << coresAttr << "'";
  if (!isa<CallOpInterface>(op) || op->getNumResults())
    return op->emitOpError("cannot happen on several cores: '")
           << coresAttr << "' is for calls without results";
  return success();
}
