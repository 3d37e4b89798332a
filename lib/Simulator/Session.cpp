//===- Session.cpp - Run compiled code on a modelled machine --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Session.h"

#include "Instrument.h"
#include "Jit.h"
#include "System.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace ember;
using namespace ember::sim;

namespace {

/// The machine around one program, from first word to last store.
class Session {
public:
  Session(const Machine &machine, const SessionEntry &entry,
          llvm::ArrayRef<SessionArgument> arguments,
          const SessionOptions &options)
      : machine(machine), entry(entry), arguments(arguments), options(options) {
  }

  llvm::Error compile(std::unique_ptr<llvm::Module> module,
                      std::unique_ptr<llvm::LLVMContext> context);
  llvm::Expected<SessionOutcome> run();

private:
  llvm::Error addCores();
  void registerArguments();
  void buildCall();
  llvm::Error registerVariables();
  void registerCores();
  std::optional<SessionFault> findFault() const;
  std::vector<SessionResult> takeResults(std::vector<std::string> &names);

  const Machine &machine;
  const SessionEntry &entry;
  llvm::ArrayRef<SessionArgument> arguments;
  const SessionOptions &options;

  std::unique_ptr<Jit> jit;
  ProgramVariables variables;
  Program program;
  AddressMap map;
  ProgramMemory memory{program, map};
  ProgramCode code;
  std::vector<std::unique_ptr<Execution>> executions; ///< By core.
  std::vector<std::vector<char>> locals; ///< Stack variables, by core.

  /// What the entry is called with, then descriptors of results and arguments.
  std::vector<uint64_t> callWords;
  size_t numParameters = 0, resultsAt = 0;
  std::vector<QueueRanges> queueRanges; ///< By core.
};

} // namespace

llvm::Error Session::compile(std::unique_ptr<llvm::Module> module,
                             std::unique_ptr<llvm::LLVMContext> context) {
  auto newJit = Jit::create();
  if (!newJit)
    return newJit.takeError();
  jit = std::move(*newJit);
  jit->setTarget(*module);
  auto found = prepare(*module, machine.core.vectorBits);
  if (!found)
    return found.takeError();
  variables = std::move(*found);
  Numbering numbering;
  auto built = buildProgram(*module, machine.core.vectorBits, numbering);
  if (!built)
    return built.takeError();
  program = std::move(*built);
  instrument(*module, program, numbering);
  if (llvm::Error error = addEntry(*module, entry.name))
    return error;
  return jit->add(std::move(module), std::move(context),
                  Execution::runtimeSymbols());
}

/// Gives each core an execution and stack variables.
llvm::Error Session::addCores() {
  auto linked = ProgramCode::link(*jit);
  if (!linked)
    return linked.takeError();
  code = *linked;
  memory.setWindows(code.windows);
  std::vector<Execution *> others;
  for (unsigned core = 0; core < machine.cores; ++core) {
    locals.emplace_back(std::max<uint64_t>(variables.localBytes, 1));
    executions.push_back(std::make_unique<Execution>(
        program, code, memory, locals.back().data(), machine.queues));
    if (core)
      others.push_back(executions.back().get());
  }
  executions[0]->context().setOthers(others);
  return llvm::Error::success();
}

/// Registers the arguments' memory. Arrays that overlap become one range, with
/// the name and the place in the order of the first of them.
void Session::registerArguments() {
  struct Union {
    uint64_t low, high;
    bool writable;
    std::string name;
    bool taken = false;
  };
  std::vector<Union> unions;
  for (const SessionArgument &argument : arguments) {
    if (argument.kind == SessionArgument::Kind::Scalar)
      continue;
    auto low = reinterpret_cast<uint64_t>(argument.data);
    Union next{low, low + argument.bytes, argument.writable, argument.name};
    if (argument.bytes)
      for (size_t i = 0; i < unions.size(); ++i) {
        Union &other = unions[i];
        if (other.low == other.high || other.low >= next.high ||
            other.high <= next.low)
          continue;
        next = {std::min(next.low, other.low), std::max(next.high, other.high),
                next.writable || other.writable, other.name};
        unions.erase(unions.begin() + i);
        i = size_t(-1); // the union may overlap some that came before
      }
    unions.push_back(std::move(next));
  }
  for (const Union &memory : unions)
    this->memory.addRange(memory.name, reinterpret_cast<void *>(memory.low),
                          memory.high - memory.low, memory.writable);
}

/// Lays out the call: parameters, the results' descriptors, the arguments'.
void Session::buildCall() {
  auto descriptorWords = [](size_t rank) { return 3 + 2 * rank; };
  size_t total = 0;
  bool returns = !entry.resultRanks.empty();
  numParameters = returns + entry.takesContext + arguments.size();
  resultsAt = numParameters + 1; // after the parameters, a returned scalar
  total = resultsAt;
  for (unsigned rank : entry.resultRanks)
    total += descriptorWords(rank);
  for (const SessionArgument &argument : arguments)
    if (argument.kind == SessionArgument::Kind::MemRef)
      total += descriptorWords(argument.shape.size());
  callWords.assign(total, 0);

  auto address = [](const void *pointer) {
    return reinterpret_cast<uint64_t>(pointer);
  };
  size_t parameter = 0, place = resultsAt;
  if (returns)
    callWords[parameter++] = address(&callWords[place]);
  for (unsigned rank : entry.resultRanks)
    place += descriptorWords(rank);
  if (entry.takesContext)
    callWords[parameter++] = address(executions[0]->context().handle());
  for (const SessionArgument &argument : arguments) {
    switch (argument.kind) {
    case SessionArgument::Kind::Scalar:
      callWords[parameter++] = argument.bits;
      break;
    case SessionArgument::Kind::Pointer:
      callWords[parameter++] = address(argument.data);
      break;
    case SessionArgument::Kind::MemRef:
      callWords[parameter++] = address(&callWords[place]);
      callWords[place++] = address(argument.data);
      callWords[place++] = address(argument.data);
      callWords[place++] = 0;
      for (int64_t size : argument.shape)
        callWords[place++] = size;
      for (int64_t stride : argument.strides)
        callWords[place++] = stride;
      break;
    }
  }
  memory.addRange("descriptors", callWords.data(),
                  callWords.size() * sizeof(uint64_t), true);
}

llvm::Error Session::registerVariables() {
  for (const ProgramVariable &variable : variables.global) {
    auto found = jit->lookup(variable.name);
    if (!found)
      return found.takeError();
    memory.addRange(variable.name, *found, variable.bytes, variable.writable);
  }
  return llvm::Error::success();
}

/// Registers the stack variables, the context and the queues of each core.
void Session::registerCores() {
  for (auto [core, execution] : llvm::enumerate(executions)) {
    std::string prefix = core ? "core " + std::to_string(core) + " " : "";
    ProgramContext &context = execution->context();
    memory.addRange(prefix + "locals", locals[core].data(), locals[core].size(),
                    true);
    memory.addRange(prefix + "context", context.handle(), sizeof(ember_context),
                    false);
    QueueRanges &ranges = queueRanges.emplace_back();
    for (unsigned i = 0; i < EMBER_QUEUES; ++i)
      ranges[i] =
          memory.addRange(prefix + kQueueNames[i] + " queue", context.queue[i],
                          EMBER_QUEUE_RING_OFFSET + context.capacity(i), true);
  }
}

/// Reads the descriptors of the results, and names their memory by them.
std::vector<SessionResult>
Session::takeResults(std::vector<std::string> &names) {
  std::vector<SessionResult> results;
  size_t place = resultsAt;
  for (unsigned rank : entry.resultRanks) {
    SessionResult result;
    ArgumentId range = 0;
    result.storage =
        memory.takeBlock(reinterpret_cast<void *>(callWords[place]), range);
    if (result.storage)
      names[range] = results.empty()
                         ? std::string("result")
                         : "result " + std::to_string(results.size());
    result.data = reinterpret_cast<void *>(callWords[place + 1]);
    result.offset = callWords[place + 2];
    if (auto where = map.find(callWords[place + 1])) {
      const AddressMap::Range &memory = map.ranges()[where->range];
      result.bytes = memory.size - (callWords[place + 1] - memory.host);
    }
    place += 3;
    for (unsigned i = 0; i < rank; ++i)
      result.shape.push_back(callWords[place++]);
    for (unsigned i = 0; i < rank; ++i)
      result.strides.push_back(callWords[place++]);
    results.push_back(std::move(result));
  }
  return results;
}

/// The first fault of the run, if there is one: of the two sides only the one
/// that comes first reports.
std::optional<SessionFault> Session::findFault() const {
  const ProgramContext &context = executions[0]->context();
  SessionFault fault;
  if (const auto &host = context.hostFault()) {
    fault.site = host->site;
    fault.position = host->position;
    fault.value = host->value;
    fault.limit = host->limit;
    return fault;
  }
  const auto &unit = context.unitFault();
  if (!unit)
    return std::nullopt;
  const rt::AccessFault &met = unit->fault;
  fault.kernel = unit->kernel;
  fault.operation = met.op;
  fault.dimension = met.dimension;
  fault.source = met.source;
  fault.position = met.position;
  fault.value = met.value;
  fault.limit = met.limit;
  return fault;
}

llvm::Expected<SessionOutcome> Session::run() {
  if (llvm::Error error = addCores())
    return error;
  registerArguments();
  buildCall();
  if (llvm::Error error = registerVariables())
    return error;
  registerCores();
  executions[0]->start([this] { code.enter(callWords.data()); });

  System system(machine, program, executions, map, queueRanges);
  RunResult result =
      system.run(options.cycleLimit ? options.cycleLimit : never);
  SessionOutcome outcome;
  outcome.fault = findFault();
  // Code that goes on with zeros after a fault may fail for want of the data.
  for (const auto &execution : executions)
    if (!execution->error().empty() && !outcome.fault)
      return llvm::createStringError(execution->error());
  switch (result.status) {
  case RunStatus::Finished:
    break;
  case RunStatus::CycleLimit:
    return llvm::createStringError("the run was stopped at the limit of " +
                                   llvm::Twine(options.cycleLimit) +
                                   " cycles:\n" + result.report);
  case RunStatus::Deadlock:
    return llvm::createStringError("nothing can happen any more in cycle " +
                                   llvm::Twine(result.cycles) + ":\n" +
                                   result.report);
  }

  outcome.cycles = result.cycles + 1; // the last one counts
  outcome.returned = callWords[numParameters];
  std::vector<std::string> names;
  for (const AddressMap::Range &range : map.ranges())
    names.push_back(range.name);
  if (!outcome.fault)
    outcome.results = takeResults(names);
  outcome.statistics = system.statistics(outcome.cycles, names);
  return outcome;
}

llvm::Expected<SessionOutcome> ember::sim::run(
    const Machine &machine, std::unique_ptr<llvm::Module> module,
    std::unique_ptr<llvm::LLVMContext> context, const SessionEntry &entry,
    llvm::ArrayRef<SessionArgument> arguments, const SessionOptions &options) {
  Session session(machine, entry, arguments, options);
  if (llvm::Error error =
          session.compile(std::move(module), std::move(context)))
    return error;
  return session.run();
}
