//===- ember-sim.cpp - Compile a module and run it on a simulated machine -===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Pipelines/Driver.h"
#include "ember/Runtime/Npy.h"
#include "ember/Simulator/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace ember;
namespace cl = llvm::cl;

namespace {

/// Made once LLVM's own options of the same names are withdrawn.
struct Options {
  cl::OptionCategory category{"ember-sim options"};
  cl::opt<std::string> inputFile{cl::Positional, cl::Required,
                                 cl::desc("<module.mlir>"), cl::cat(category)};
  cl::opt<std::string> machine{
      "machine", cl::init(CompileOptions().machine),
      cl::value_desc("name|path"),
      cl::desc("Shipped machine, or path of a machine file"),
      cl::cat(category)};
  cl::list<std::string> overrides{
      "set", cl::value_desc("key=value"),
      cl::desc("Replace a value of the machine file"), cl::cat(category)};
  cl::opt<int> level{"level", cl::init(CompileOptions().level),
                     cl::desc("Optimisation level, 0 to 4"), cl::cat(category)};
  cl::opt<int> prefetchDistance{
      "prefetch-distance", cl::init(CompileOptions().prefetchDistance),
      cl::desc("Machines without access units: lookups ahead that rows are "
               "prefetched, 0 is off"),
      cl::cat(category)};
  cl::opt<std::string> entry{"entry",
                             cl::desc("Function to run, if there are several"),
                             cl::cat(category)};
  cl::list<std::string> argFiles{"arg", cl::value_desc("name=file.npy"),
                                 cl::desc("Value of an argument"),
                                 cl::cat(category)};
  cl::list<std::string> outFiles{"out", cl::value_desc("name=file.npy"),
                                 cl::desc("File for a result"),
                                 cl::cat(category)};
  cl::opt<std::string> statsFile{"stats", cl::value_desc("file.json"),
                                 cl::desc("File for the statistics"),
                                 cl::cat(category)};
  cl::opt<bool> remarks{
      "remarks",
      cl::desc("Say for each load whether it moved to the access unit, or why "
               "not"),
      cl::cat(category)};
  cl::opt<uint64_t> cycleLimit{
      "cycle-limit", cl::init(0),
      cl::desc("Stop with an error after this many cycles, 0 is no limit"),
      cl::cat(category)};
};

} // namespace

static int fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    llvm::WithColor::error(llvm::errs(), "ember-sim") << info.message() << "\n";
  });
  return 1;
}

static llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// "name=path" for each parameter: the index into `parameters` with the path.
static llvm::Expected<std::vector<std::string>>
matchFiles(llvm::StringRef flag, llvm::ArrayRef<std::string> given,
           llvm::ArrayRef<Parameter> parameters) {
  std::vector<std::string> paths(parameters.size());
  for (llvm::StringRef item : given) {
    auto [name, path] = item.split('=');
    auto it = llvm::find_if(parameters, [name = name](const Parameter &p) {
      return p.name == name;
    });
    if (path.empty() || it == parameters.end()) {
      std::string known =
          llvm::join(llvm::map_range(parameters,
                                     [](const Parameter &p) { return p.name; }),
                     ", ");
      return usage("--" + flag + " " + item +
                   (path.empty() ? ": expected name=file.npy"
                                 : ": there is no such name") +
                   "; names are: " + known);
    }
    std::string &known = paths[it - parameters.begin()];
    if (!known.empty())
      return usage("--" + flag + " " + item + ": " + name + " is " + known +
                   " already");
    known = path.str();
  }
  return paths;
}

static llvm::Error writeText(llvm::StringRef path, llvm::StringRef text) {
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec);
  if (ec)
    return usage(path + ": " + ec.message());
  os << text << "\n";
  return llvm::Error::success();
}

static llvm::Error simulate(const Options &flags) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(flags.inputFile);
  if (!file)
    return usage(flags.inputFile + ": " + file.getError().message());
  CompileOptions options;
  options.machine = flags.machine;
  options.overrides.assign(flags.overrides.begin(), flags.overrides.end());
  options.level = flags.level;
  options.prefetchDistance = flags.prefetchDistance;
  options.entry = flags.entry;
  auto kernel =
      CompiledKernel::compile((*file)->getBuffer(), flags.inputFile, options);
  if (!kernel)
    return kernel.takeError();

  if (flags.remarks) {
    auto lines = (*kernel)->remarks();
    if (!lines)
      return lines.takeError();
    for (const std::string &line : *lines)
      llvm::errs() << line << "\n";
  }

  llvm::ArrayRef<Parameter> parameters = (*kernel)->arguments();
  auto argPaths = matchFiles("arg", flags.argFiles, parameters);
  if (!argPaths)
    return argPaths.takeError();
  auto outPaths = matchFiles("out", flags.outFiles, (*kernel)->results());
  if (!outPaths)
    return outPaths.takeError();
  std::vector<rt::Tensor> tensors;
  std::vector<rt::TensorView> views;
  for (auto [parameter, path] : llvm::zip(parameters, *argPaths)) {
    if (path.empty())
      return usage("argument '" + parameter.name +
                   "' has no value; give --arg " + parameter.name +
                   "=file.npy");
    auto tensor = rt::readNpy(path, parameter.type);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
    views.push_back(tensors.back().view());
  }

  RunOptions runOptions;
  runOptions.cycleLimit = flags.cycleLimit;
  auto result = (*kernel)->run(views, runOptions);
  if (!result)
    return result.takeError();
  for (auto [path, tensor] : llvm::zip(*outPaths, result->results))
    if (!path.empty())
      if (llvm::Error error = rt::writeNpy(path, tensor.view()))
        return error;
  if (!flags.statsFile.empty())
    if (llvm::Error error = writeText(flags.statsFile, result->statistics))
      return error;
  return sim::printReport(result->statistics, llvm::outs());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  for (llvm::StringRef name : {"stats", "prefetch-distance"})
    if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
      option->removeArgument();
  Options flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compile a module and run it on a simulated machine\n");
  if (llvm::Error error = simulate(flags))
    return fail(std::move(error));
  return 0;
}
