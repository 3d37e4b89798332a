//===- Translate.cpp - Split modules as LLVM IR ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Translate.h"

#include "Passes.h"
#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace ember;

StringRef ember::stringifyPart(Part part) {
  switch (part) {
  case Part::Host:
    return "host";
  case Part::Access:
    return "access";
  case Part::Execute:
    return "execute";
  }
  llvm_unreachable("all parts are listed");
}

std::optional<Part> ember::symbolizePart(StringRef name) {
  return llvm::StringSwitch<std::optional<Part>>(name)
      .Case("host", Part::Host)
      .Case("access", Part::Access)
      .Case("execute", Part::Execute)
      .Default(std::nullopt);
}

static void buildLowering(OpPassManager &pm) {
  pm.addPass(createLowerQueuesPass());
  pm.addPass(createEraseMemorySpacesPass());
  pm.addPass(createLowerFaultsPass());
  pm.addPass(createLowerCopiesPass());
  pm.addPass(createExpandMathPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  // Conversions of bf16 by integer operations: the code generator would call a
  // library function for each element.
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // Allocation goes through functions that the run time provides.
  FinalizeMemRefToLLVMConversionPassOptions memref;
  memref.useAlignedAlloc = true;
  memref.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memref));
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLowerForksPass());
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

/// Says of each function what descriptors cannot: buffers do not overlap (the
/// runtime's allocator and the launcher see to it), and nothing unwinds. Errors
/// name the wrapper of an entry as the entry.
static void addAttributes(llvm::Module &module, Part part) {
  for (llvm::Function &function : module) {
    function.setDoesNotThrow();
    StringRef name = function.getName();
    StringRef userName = name;
    if (userName.consume_front("_mlir_ciface_"))
      function.addFnAttr("ember-function", userName);
    if (name == "_mlir_memref_to_llvm_alloc" ||
        name == "_mlir_memref_to_llvm_aligned_alloc")
      function.setReturnDoesNotAlias();
    bool isEntry = part != Part::Host ||
                   module.getFunction(("_mlir_ciface_" + name).str());
    if (function.isDeclaration() || !isEntry)
      continue;
    for (llvm::Argument &argument : llvm::drop_begin(function.args()))
      if (argument.getType()->isPointerTy())
        argument.addAttr(llvm::Attribute::NoAlias);
  }
}

FailureOr<std::unique_ptr<llvm::Module>>
ember::translatePart(ModuleOp split, Part part, llvm::LLVMContext &context) {
  StringRef name = stringifyPart(part);
  auto original = split.lookupSymbol<ModuleOp>(name);
  if (!original)
    return split.emitError("has no module @")
           << name << ": run dlc-split first"
           << (part == Part::Host ? ""
                                  : "; a machine without access units has a "
                                    "host part only");
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  split.getContext()->appendDialectRegistry(registry);

  OwningOpRef<ModuleOp> lowered = original.clone();
  // What all targets have in common; optimizeForCore sets the rest.
  (*lowered)->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                      StringAttr::get(split.getContext(), "e-i64:64"));
  PassManager pm(split.getContext());
  buildLowering(pm);
  if (failed(pm.run(*lowered)))
    return failure();
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*lowered, context, name);
  if (!module)
    return failure();
  addAttributes(*module, part);
  return module;
}
