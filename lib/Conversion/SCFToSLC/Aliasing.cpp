//===- Aliasing.cpp - Which buffers may share memory ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Aliasing.h"

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace ember;

static bool isAllocation(Value value) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
      value.getDefiningOp());
}

/// The function `value` is an argument of, if it is one.
static func::FuncOp getFunctionOfArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !argument.getOwner()->isEntryBlock())
    return {};
  return dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
}

bool Aliasing::mayAlias(Value a, Value b) {
  SmallVector<Pair> asked;
  return mayAlias(a, b, asked);
}

bool Aliasing::mayAlias(Value a, Value b, SmallVector<Pair> &asked) {
  if (a == b)
    return true;
  auto global = [](Value value) {
    return value.getDefiningOp<memref::GetGlobalOp>();
  };
  auto isKnown = [&](Value value) {
    return isAllocation(value) || global(value) || getFunctionOfArgument(value);
  };
  if (!isKnown(a) || !isKnown(b))
    return true;
  if (isAllocation(a) || isAllocation(b))
    return false;
  if (global(a) && global(b))
    return global(a).getName() == global(b).getName();

  func::FuncOp function =
      getFunctionOfArgument(getFunctionOfArgument(a) ? a : b);
  // A recursive function passes on what its first call was given.
  if (llvm::is_contained(asked, Pair(a, b)))
    return false;
  asked.emplace_back(a, b);
  return llvm::any_of(users.getUsers(function), [&](Operation *user) {
    auto call = dyn_cast<func::CallOp>(user);
    if (!call)
      return true;
    auto passed = [&](Value value) {
      if (getFunctionOfArgument(value) != function)
        return value;
      unsigned number = cast<BlockArgument>(value).getArgNumber();
      return slc::getRootBuffer(call.getOperand(number));
    };
    return mayAlias(passed(a), passed(b), asked);
  });
}
