//===- EmbDialect.cpp - The emb dialect -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Emb/IR/Emb.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember::emb;

#include "ember/Dialect/Emb/IR/EmbDialect.cpp.inc"
#include "ember/Dialect/Emb/IR/EmbEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ember/Dialect/Emb/IR/EmbAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "ember/Dialect/Emb/IR/EmbOps.cpp.inc"

void EmbDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ember/Dialect/Emb/IR/EmbAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ember/Dialect/Emb/IR/EmbOps.cpp.inc"
      >();
}
