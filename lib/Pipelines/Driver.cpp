//===- Driver.cpp - Compile a module and run it on a machine --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Pipelines/Driver.h"

#include "Faults.h"
#include "Remarks.h"
#include "Signature.h"
#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Pipelines/InitAll.h"
#include "ember/Pipelines/Pipelines.h"
#include "ember/Simulator/Machine.h"
#include "ember/Simulator/Session.h"
#include "ember/Target/Optimize.h"
#include "ember/Target/Translate.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;

namespace ember {

using Kind = EmberError::Kind;

char EmberError::ID = 0;

void EmberError::log(llvm::raw_ostream &os) const { os << message; }

std::error_code EmberError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {

/// Everything Ember registers, made once for the process.
const DialectRegistry &dialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    registerAllDialects(all);
    return all;
  }();
  return registry;
}

/// A module with the context it lives in and the text of its diagnostics.
class Compilation {
public:
  Compilation() : context(dialects(), MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false); // the place says it
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      note(diagnostic);
      for (Diagnostic &attached : diagnostic.getNotes())
        note(attached);
    });
  }

  llvm::Error parse(StringRef text, StringRef fileName) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, fileName);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
    if (!module)
      return failure("parse");
    return llvm::Error::success();
  }

  llvm::Error run(const Stage &stage, const PipelineOptions &options) {
    PassManager pm(&context, ModuleOp::getOperationName());
    auto emitError = [&](const Twine &message) {
      diagnostics += message.str();
      return mlir::failure();
    };
    if (mlir::failed(stage.build(pm, options, emitError)) ||
        mlir::failed(pm.run(*module)))
      return failure(stage.name);
    return llvm::Error::success();
  }

  /// The error that the diagnostics so far tell of.
  llvm::Error failure(StringRef stage) {
    return error(Kind::Compile, stage,
                 diagnostics.empty() ? stage + " failed without a message"
                                     : Twine(StringRef(diagnostics).rtrim()));
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;

private:
  void note(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return;
    llvm::raw_string_ostream os(diagnostics);
    if (std::string place = describeLocation(diagnostic.getLocation());
        !place.empty())
      os << place << ": ";
    os << (diagnostic.getSeverity() == DiagnosticSeverity::Error  ? "error: "
           : diagnostic.getSeverity() == DiagnosticSeverity::Note ? "note: "
                                                                  : "warning: ")
       << diagnostic << "\n";
  }

  std::string diagnostics;
};

/// Takes the time of the steps of a compilation, which follow one another.
class Stopwatch {
public:
  explicit Stopwatch(std::vector<std::pair<std::string, double>> &seconds)
      : seconds(seconds) {}

  /// The step that ends now took all the time since the one before.
  void lap(StringRef step) {
    Clock::time_point now = Clock::now();
    seconds.emplace_back(step.str(),
                         std::chrono::duration<double>(now - last).count());
    last = now;
  }

private:
  using Clock = std::chrono::steady_clock;
  std::vector<std::pair<std::string, double>> &seconds;
  Clock::time_point last = Clock::now();
};

/// How many stages a module has behind it already, judged by its operations.
size_t stagesPassed(ModuleOp module, llvm::ArrayRef<Stage> stages) {
  StringRef reached = "emb";
  for (Operation &op : *module.getBody()) {
    if (isa<ModuleOp>(op))
      reached = stages.back().name;
    else if (op.getName().getStringRef() == "dlc.kernel")
      reached = "dlc";
    else if (op.getName().getStringRef() == "slc.kernel")
      reached = "decoupled";
    else
      continue;
    break;
  }
  // The target is attached again: it is the caller's choice.
  for (size_t i = 0; i < stages.size(); ++i)
    if (stages[i].name == reached)
      return i + 1;
  return 1;
}

/// A returned memref as a dense array that owns its memory. What the program
/// says of shape and strides is not believed before it is checked.
llvm::Expected<rt::Tensor> takeResult(const Parameter &parameter,
                                      const sim::SessionResult &value) {
  rt::TensorView view = {parameter.type,
                         {value.shape.begin(), value.shape.end()},
                         {value.strides.begin(), value.strides.end()},
                         value.data};
  std::optional<uint64_t> span = rt::spannedBytes(view);
  uint64_t width = rt::byteWidth(parameter.type);
  bool inside = span && value.offset >= 0 &&
                uint64_t(value.offset) <= value.bytes / width &&
                *span <= value.bytes - value.offset * width;
  if (!inside && (!span || *span != 0))
    return error(Kind::Simulation, "run",
                 "result '" + parameter.name +
                     "' reaches beyond its memory; the function returns a "
                     "memref that does not fit its buffer");
  if (value.storage && value.offset == 0 && view.isContiguous())
    return rt::Tensor{view.type, view.shape, value.storage, value.data};
  view.data = static_cast<const char *>(value.data) + value.offset * width;
  return rt::makeContiguous(view);
}

CoreTarget coreTarget(const sim::Machine &machine) {
  return {machine.core.triple, machine.core.cpu, machine.core.features};
}

} // namespace

struct CompiledKernel::Impl {
  CompileOptions options;
  std::string source, fileName;
  sim::Machine machine;
  bool accessUnit = false;
  std::string entry;
  Signature signature;
  FaultSites faults;
  using Bitcode = llvm::SmallVector<char, 0>;
  /// The optimised LLVM IR of each part, and all of them linked.
  std::vector<std::pair<std::string, Bitcode>> parts;
  Bitcode linked;
  std::vector<std::pair<std::string, double>> seconds;

  void fill(PipelineOptions &pipeline) const {
    pipeline.machine = options.machine;
    for (const std::string &item : options.overrides)
      pipeline.overrides.push_back(item);
    pipeline.level = options.level;
    pipeline.prefetchDistance = options.prefetchDistance;
  }

  llvm::Error checkOptions();
  /// Parses the source and runs its stages up to `last`, or all if empty.
  llvm::Error compileTo(Compilation &compilation, StringRef last,
                        Stopwatch *stopwatch = nullptr);
  llvm::Error emit(Compilation &compilation);
};

static void write(const llvm::Module &module, llvm::SmallVectorImpl<char> &to) {
  llvm::raw_svector_ostream os(to);
  llvm::WriteBitcodeToFile(module, os);
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
read(llvm::ArrayRef<char> bitcode, StringRef name, llvm::LLVMContext &context) {
  StringRef bytes(bitcode.data(), bitcode.size());
  return llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, name), context);
}

llvm::Error CompiledKernel::Impl::checkOptions() {
  if (options.level < 0 || options.level > slc::maxLevel)
    return error(Kind::Option, "options",
                 "level " + Twine(options.level) +
                     " does not exist; the levels are 0 to " +
                     Twine(slc::maxLevel));
  if (options.prefetchDistance < 0)
    return error(Kind::Option, "options",
                 "the prefetch distance must not be negative, but is " +
                     Twine(options.prefetchDistance));
  llvm::Expected<sim::Machine> loaded =
      sim::Machine::load(options.machine, options.overrides);
  if (!loaded)
    return error(Kind::Option, "machine", toString(loaded.takeError()));
  machine = std::move(*loaded);
  accessUnit = machine.accessUnit.has_value();
  return llvm::Error::success();
}

llvm::Error CompiledKernel::Impl::compileTo(Compilation &compilation,
                                            StringRef last,
                                            Stopwatch *stopwatch) {
  if (llvm::Error failed = compilation.parse(source, fileName))
    return failed;
  if (stopwatch)
    stopwatch->lap("parse");
  for (ModuleOp inner : compilation.module->getOps<ModuleOp>())
    if (!symbolizePart(inner.getSymName().value_or(""))) {
      inner.emitError("is a module inside a module; only the parts that "
                      "dlc-split makes are: @host, @access and @execute");
      return compilation.failure("parse");
    }
  PipelineOptions pipeline;
  fill(pipeline);
  llvm::ArrayRef<Stage> all = ember::stages(accessUnit);
  size_t passed = stagesPassed(*compilation.module, all);
  // The first stage attaches the target, which every module needs.
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || i >= passed)
      if (llvm::Error failed = compilation.run(all[i], pipeline))
        return failed;
    if (stopwatch)
      stopwatch->lap(all[i].name);
    if (all[i].name == last)
      break;
  }
  return llvm::Error::success();
}

llvm::Error CompiledKernel::Impl::emit(Compilation &compilation) {
  ModuleOp split = *compilation.module;
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> whole;
  for (Part part : {Part::Host, Part::Access, Part::Execute}) {
    if (part != Part::Host &&
        !split.lookupSymbol<ModuleOp>(stringifyPart(part)))
      continue;
    auto module = translatePart(split, part, *context);
    if (failed(module))
      return compilation.failure("llvm");
    if (llvm::Error failed = optimizeForCore(**module, coreTarget(machine)))
      return error(Kind::Compile, "llvm", toString(std::move(failed)));
    write(**module,
          parts.emplace_back(stringifyPart(part).str(), Bitcode()).second);
    if (!whole)
      whole = std::move(*module);
    else if (llvm::Linker::linkModules(*whole, std::move(*module)))
      return error(Kind::Compile, "llvm", "the parts do not link");
  }
  write(*whole, linked);
  return llvm::Error::success();
}

CompiledKernel::CompiledKernel() : impl(std::make_unique<Impl>()) {}
CompiledKernel::~CompiledKernel() = default;

llvm::Expected<std::unique_ptr<CompiledKernel>>
CompiledKernel::compile(StringRef mlir, StringRef fileName,
                        const CompileOptions &options) {
  std::unique_ptr<CompiledKernel> kernel(new CompiledKernel);
  Impl &impl = *kernel->impl;
  impl.options = options;
  impl.source = mlir.str();
  impl.fileName = fileName.str();
  if (llvm::Error failed = impl.checkOptions())
    return failed;

  Stopwatch stopwatch(impl.seconds);
  Compilation compilation;
  if (llvm::Error failed = impl.compileTo(compilation, "", &stopwatch))
    return failed;
  auto function = findEntry(*compilation.module, options.entry);
  if (!function)
    return function.takeError();
  impl.entry = function->getSymName().str();
  auto signature = readSignature(*function);
  if (!signature)
    return signature.takeError();
  impl.signature = std::move(*signature);
  impl.faults = FaultSites(*compilation.module);
  if (llvm::Error failed = impl.emit(compilation))
    return failed;
  stopwatch.lap("llvm");
  return kernel;
}

llvm::ArrayRef<Parameter> CompiledKernel::arguments() const {
  return impl->signature.arguments;
}

llvm::ArrayRef<Parameter> CompiledKernel::results() const {
  return impl->signature.results;
}

std::vector<std::string> CompiledKernel::stages() const {
  std::vector<std::string> names;
  for (const Stage &stage : ember::stages(impl->accessUnit))
    names.push_back(stage.name.str());
  return names;
}

llvm::Expected<std::string> CompiledKernel::ir(StringRef stage) const {
  std::vector<std::string> names = stages();
  if (!llvm::is_contained(names, stage))
    return error(Kind::Option, "ir",
                 "there is no stage '" + stage +
                     "'; the stages are: " + llvm::join(names, ", "));
  Compilation compilation;
  if (llvm::Error failed = impl->compileTo(compilation, stage))
    return failed;
  return compilation.print();
}

llvm::ArrayRef<std::pair<std::string, double>>
CompiledKernel::secondsByStage() const {
  return impl->seconds;
}

llvm::Expected<std::vector<std::string>> CompiledKernel::remarks() const {
  std::vector<std::string> lines;
  Compilation compilation;
  collectRemarks(compilation.context, lines);
  if (llvm::Error failed = impl->compileTo(compilation, "slc"))
    return failed;
  return lines;
}

llvm::Expected<std::string> CompiledKernel::llvmIR(StringRef part) const {
  for (const auto &[name, bitcode] : impl->parts) {
    if (name != part)
      continue;
    llvm::LLVMContext context;
    auto module = read(bitcode, "LLVMDialectModule", context);
    if (!module)
      return module.takeError();
    std::string text;
    llvm::raw_string_ostream(text) << **module;
    return text;
  }
  auto names = llvm::make_first_range(impl->parts);
  return error(Kind::Option, "llvm",
               "there is no part '" + part +
                   "'; the parts are: " + llvm::join(names, ", "));
}

llvm::Expected<RunResult>
CompiledKernel::run(llvm::ArrayRef<rt::TensorView> arguments,
                    const RunOptions &options) const {
  std::vector<rt::Tensor> copies;
  auto bound = bindArguments(impl->signature, arguments, copies);
  if (!bound)
    return bound.takeError();

  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = read(impl->linked, impl->entry, *context);
  if (!module)
    return module.takeError();

  sim::SessionEntry entry;
  entry.name = "_mlir_ciface_" + impl->entry;
  entry.takesContext = true;
  for (const Parameter &result : impl->signature.results)
    entry.resultRanks.push_back(result.shape.size());

  std::vector<sim::SessionArgument> sessionArguments;
  for (auto [parameter, view] : llvm::zip(impl->signature.arguments, *bound)) {
    sim::SessionArgument argument;
    argument.name = parameter.name;
    argument.kind = sim::SessionArgument::Kind::MemRef;
    argument.data = const_cast<void *>(view.data);
    argument.shape.assign(view.shape.begin(), view.shape.end());
    argument.strides.assign(view.strides.begin(), view.strides.end());
    argument.bytes = rt::spannedBytes(view).value_or(0);
    sessionArguments.push_back(std::move(argument));
  }

  sim::SessionOptions sessionOptions;
  sessionOptions.cycleLimit = options.cycleLimit;
  auto outcome = sim::run(impl->machine, std::move(*module), std::move(context),
                          entry, sessionArguments, sessionOptions);
  if (!outcome)
    return error(Kind::Simulation, "run", toString(outcome.takeError()));
  if (outcome->fault)
    return llvm::Error(impl->faults.describe(*outcome->fault));

  RunResult result;
  for (auto [parameter, value] :
       llvm::zip(impl->signature.results, outcome->results)) {
    auto tensor = takeResult(parameter, value);
    if (!tensor)
      return tensor.takeError();
    result.results.push_back(std::move(*tensor));
  }
  outcome->statistics["level"] = impl->options.level;
  if (!impl->accessUnit)
    outcome->statistics["prefetch_distance"] = impl->options.prefetchDistance;
  result.statistics =
      llvm::formatv("{0:2}", llvm::json::Value(std::move(outcome->statistics)));
  return result;
}

} // namespace ember
