//===- EraseMemorySpaces.cpp - slc's memory spaces are ordinary memory ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// memref<64xf32, #slc.queue> becomes memref<64xf32>: the spaces say who owns a
// buffer, and every buffer is in the one address space of the core.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace ember;

namespace {

struct EraseMemorySpaces
    : PassWrapper<EraseMemorySpaces, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseMemorySpaces)

  StringRef getArgument() const final { return "ember-erase-memory-spaces"; }

  void runOnOperation() override {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
      if (!isa_and_nonnull<slc::QueueSpaceAttr, slc::LocalSpaceAttr>(
              type.getMemorySpace()))
        return std::nullopt;
      return MemRefType::get(type.getShape(), type.getElementType(),
                             type.getLayout());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

} // namespace

std::unique_ptr<Pass> ember::createEraseMemorySpacesPass() {
  return std::make_unique<EraseMemorySpaces>();
}
