//===- ember-translate.cpp - LLVM IR or objects from split modules --------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Pipelines/InitAll.h"
#include "ember/Target/Optimize.h"
#include "ember/Target/Translate.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace ember;
namespace cl = llvm::cl;

namespace {
enum class Output { LLVM, Object };
} // namespace

static cl::OptionCategory category("ember-translate options");

static cl::opt<std::string> inputName(cl::Positional,
                                      cl::desc("<split module>"), cl::init("-"),
                                      cl::cat(category));
static cl::opt<std::string> outputName("o", cl::desc("Output file"),
                                       cl::value_desc("file"), cl::init("-"),
                                       cl::cat(category));
static cl::opt<Part> part(
    "part", cl::desc("Which part of the module"), cl::init(Part::Execute),
    cl::values(clEnumValN(Part::Host, "host", "checks and launches"),
               clEnumValN(Part::Access, "access", "programs the access unit"),
               clEnumValN(Part::Execute, "execute", "what the core does")),
    cl::cat(category));
static cl::opt<Output>
    emit("emit", cl::desc("What to write"), cl::init(Output::LLVM),
         cl::values(clEnumValN(Output::LLVM, "llvm", "LLVM IR"),
                    clEnumValN(Output::Object, "obj", "a relocatable object")),
         cl::cat(category));
static cl::opt<unsigned>
    level("O", cl::Prefix,
          cl::desc("0: LLVM IR as lowered; 3: optimised for the core"),
          cl::init(3), cl::cat(category));
static cl::opt<std::string>
    triple("march", cl::desc("Architecture or triple; the module's by default"),
           cl::cat(category));
static cl::opt<std::string> cpu("mcpu", cl::desc("Core, in LLVM's names"),
                                cl::cat(category));
static cl::opt<std::string>
    features("mattr", cl::desc("Features: +name,-name,..."), cl::cat(category));

/// The core the module is compiled for, unless options say otherwise.
static CoreTarget getCore(mlir::ModuleOp module) {
  CoreTarget core;
  if (auto target = dlc::TargetAttr::lookup(module)) {
    core.triple = target.getTriple();
    core.cpu = target.getCpu();
    core.features = target.getFeatures();
  }
  if (triple.getNumOccurrences()) {
    // Cores and features belong to one architecture.
    core.triple = triple;
    if (llvm::StringRef(core.triple).find('-') == llvm::StringRef::npos)
      core.triple += "-unknown-linux-gnu";
    core.cpu.clear();
    core.features.clear();
  }
  if (cpu.getNumOccurrences())
    core.cpu = cpu;
  if (features.getNumOccurrences())
    core.features = features;
  return core;
}

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "ember-translate")
      << toString(std::move(error)) << '\n';
  return 1;
}

static int write(mlir::ModuleOp split, llvm::raw_pwrite_stream &os) {
  llvm::LLVMContext context;
  auto module = translatePart(split, part, context);
  if (failed(module))
    return 1;
  CoreTarget core = getCore(split);
  if (level != 0)
    if (llvm::Error error = optimizeForCore(**module, core))
      return fail(std::move(error));
  if (emit == Output::LLVM) {
    os << **module;
    return 0;
  }
  if (llvm::Error error = emitObject(**module, core, os))
    return fail(std::move(error));
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "LLVM IR or an object from one part of a split module\n");

  std::string message;
  auto input = mlir::openInputFile(inputName, &message);
  auto output = input ? mlir::openOutputFile(outputName, &message) : nullptr;
  if (!output)
    return fail(llvm::createStringError(message));

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return 1;
  if (int status = write(*module, output->os()))
    return status;
  output->keep();
  return 0;
}
