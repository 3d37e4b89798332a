//===- DlcOps.cpp - Operations of the dlc dialect ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ember::dlc;

#define GET_OP_CLASSES
#include "ember/Dialect/Dlc/IR/DlcOps.cpp.inc"
