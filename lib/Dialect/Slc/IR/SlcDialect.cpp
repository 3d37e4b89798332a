//===- SlcDialect.cpp - The slc dialect ---------------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/IR/Slc.h"

using namespace mlir;
using namespace ember::slc;

#include "ember/Dialect/Slc/IR/SlcDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Slc/IR/SlcOps.cpp.inc"

void SlcDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Slc/IR/SlcOps.cpp.inc"
      >();
}
