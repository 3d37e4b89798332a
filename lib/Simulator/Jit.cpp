//===- Jit.cpp - Run instrumented LLVM code on the host -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace ember::sim {

struct Jit::Impl {
  std::unique_ptr<orc::LLJIT> jit;
};

Jit::Jit(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Jit::~Jit() = default;

Expected<std::unique_ptr<Jit>> Jit::create() {
  static bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  return std::unique_ptr<Jit>(new Jit(std::move(impl)));
}

void Jit::setTarget(Module &module) const {
  module.setTargetTriple(impl->jit->getTargetTriple());
  module.setDataLayout(impl->jit->getDataLayout());
}

Error Jit::add(std::unique_ptr<Module> module,
               std::unique_ptr<LLVMContext> context,
               ArrayRef<JitSymbol> runtime) {
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(*module, &stream))
    return createStringError("the LLVM code is not valid: " + problem);
  orc::SymbolMap symbols;
  for (const JitSymbol &symbol : runtime)
    symbols[impl->jit->mangleAndIntern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address), JITSymbolFlags::Exported};
  if (Error error = impl->jit->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return error;
  return impl->jit->addIRModule(
      orc::ThreadSafeModule(std::move(module), std::move(context)));
}

Expected<void *> Jit::lookup(StringRef name) {
  auto address = impl->jit->lookup(name);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

} // namespace ember::sim
