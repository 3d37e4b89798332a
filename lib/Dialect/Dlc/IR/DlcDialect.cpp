//===- DlcDialect.cpp - The dlc dialect -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/IR/Slc.h"

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
