//===- Execution.cpp - The program runs and leaves a trace ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "llvm/ADT/ScopeExit.h"

#include <cstdlib>

using namespace ember;
using namespace ember::sim;

/// The one whose program is running on this thread.
static thread_local Execution *running = nullptr;

void ProgramContext::started(std::shared_ptr<const rt::AccessProgram> program) {
  if (!unit)
    return running->fail("the program starts an access unit, which the machine "
                         "does not have");
  if (std::string problem = unit->check(*program); !problem.empty())
    return running->fail("the access unit cannot run the program: " + problem);
  if (std::string problem = running->memory().check(*program); !problem.empty())
    return running->fail("the access unit is to " + problem);
  running->append(record::make(record::Configure, program->registerWrites()));
  running->append(record::make(record::Start, programs.size()));
  programs.push_back(std::move(program));
}

/// The trace up to here is used up before the program goes on.
void ProgramContext::waited() {
  running->append(record::make(record::Join));
  running->yield();
}

void ProgramContext::fork(int64_t core, ember_core_code *code, void *closure) {
  if (core < 1 || uint64_t(core) > others.size())
    return running->fail("the program starts core " + std::to_string(core) +
                         ", but the machine has " +
                         std::to_string(1 + others.size()));
  Execution &other = *others[core - 1];
  if (!other.finished())
    return running->fail("the program starts core " + std::to_string(core) +
                         ", which runs already");
  other.start([&other, core, code, closure] {
    code(other.context().handle(), core, closure);
  });
  running->append(record::make(record::Fork, core));
}

void ProgramContext::join() {
  running->append(record::make(record::JoinCores));
  running->yield();
  for (Execution *other : others)
    take(other->context());
}

llvm::Expected<ProgramCode> ProgramCode::link(Jit &jit) {
  ProgramCode code;
  auto find = [&](llvm::StringRef name, auto &pointer) -> llvm::Error {
    auto address = jit.lookup(name);
    if (!address)
      return address.takeError();
    pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(*address);
    return llvm::Error::success();
  };
  if (llvm::Error error = find(symbols::kEnter, code.enter))
    return error;
  if (llvm::Error error = find(symbols::kCursor, code.cursor))
    return error;
  if (llvm::Error error = find(symbols::kLimit, code.limit))
    return error;
  if (llvm::Error error = find(symbols::kFrame, code.frame))
    return error;
  if (llvm::Error error = find(symbols::kWindows, code.windows))
    return error;
  return code;
}

Execution::Execution(const Program &program, const ProgramCode &code,
                     ProgramMemory &memory, void *locals,
                     const QueuesParams &queues)
    : program(program), code(code), theMemory(memory), locals(locals),
      theContext({queues.dataBytes, queues.scalarBytes, queues.tokenBytes}) {
  // Behind the limit there is room for all that code may write before it tests
  // again, for the runtime's records, and for the last one.
  buffer.resize(kBufferWords + program.wordsBetweenTests + 16);
}

Execution::~Execution() = default;

void Execution::start(std::function<void()> function) {
  fiber = std::make_unique<Fiber>(std::move(function));
  over = false;
}

llvm::ArrayRef<uint64_t> Execution::refill() {
  *code.cursor = buffer.data();
  *code.limit = buffer.data() + kBufferWords;
  *code.frame = locals;
  if (!over) {
    running = this;
    fiber->resume();
    running = nullptr;
    if (fiber->finished() && !theContext.idle() && problem.empty())
      problem = "the program ends without waiting for the access unit "
                "(ember_au_wait)";
    over = fiber->finished() || !problem.empty();
  }
  if (over)
    append(record::make(record::Finished));
  return {buffer.data(), size_t(*code.cursor - buffer.data())};
}

void Execution::append(uint64_t word) { *(*code.cursor)++ = word; }

void Execution::fail(std::string message) { problem = std::move(message); }

void Execution::leaveIfFailed() {
  if (problem.empty())
    problem = theContext.internalError();
  if (problem.empty())
    return;
  fiber->yield();
  abort(); // a program that was left for good is not entered again
}

//===----------------------------------------------------------------------===//
// Runtime symbols
//===----------------------------------------------------------------------===//

/// What the program calls, with the C ABI.
namespace callbacks {

struct TwoWords {
  uint64_t first, second;
};

static void flush() { running->yield(); }

static uint64_t translate(uint32_t site, uint64_t address) {
  return running->translate(site, address);
}

/// A masked access: its address, and which of its bytes are touched.
static TwoWords translateMasked(uint32_t site, uint64_t address, uint64_t lanes,
                                uint32_t laneBytes) {
  if (!lanes)
    return {0, 0};
  uint64_t first = __builtin_ctzll(lanes) * uint64_t(laneBytes);
  uint64_t end = (64 - __builtin_clzll(lanes)) * uint64_t(laneBytes);
  uint64_t place = running->translate(site, address + first, end - first);
  return {place - first, first | end << 32};
}

static uint64_t translateLane(uint32_t site, uint64_t address, uint32_t on) {
  return on ? running->translate(site, address) : 0;
}

static void division(uint32_t number) { running->failDivision(number); }

static void *allocate(uint64_t bytes) { return running->allocate(64, bytes); }
static void *allocateAligned(uint64_t alignment, uint64_t bytes) {
  return running->allocate(alignment, bytes);
}
static void deallocate(void *block) { running->release(block); }

} // namespace callbacks

/// A function of the runtime as the program calls it. If it failed, the program
/// is left for good on the way back: only there do no objects lie on the
/// fiber's stack, which would never be destroyed.
template <auto function>
struct Callback;
template <typename Result, typename... Parameters,
          Result (*function)(Parameters...)>
struct Callback<function> {
  static Result call(Parameters... parameters) {
    llvm::scope_exit leave([] { running->leaveIfFailed(); });
    return function(parameters...);
  }
};

template <auto function>
static JitSymbol entry(llvm::StringRef name) {
  return {name, reinterpret_cast<void *>(&Callback<function>::call)};
}

std::vector<JitSymbol> Execution::runtimeSymbols() {
  return {
      entry<callbacks::flush>(symbols::kFlush),
      entry<callbacks::translate>(symbols::kTranslate),
      entry<callbacks::translateMasked>(symbols::kMasked),
      entry<callbacks::translateLane>(symbols::kLane),
      entry<callbacks::division>(symbols::kDivision),
      entry<callbacks::allocate>("_mlir_memref_to_llvm_alloc"),
      entry<callbacks::allocateAligned>("_mlir_memref_to_llvm_aligned_alloc"),
      entry<callbacks::deallocate>("_mlir_memref_to_llvm_free"),
      entry<ember_queue_wait>("ember_queue_wait"),
      entry<ember_fault>("ember_fault"),
      entry<ember_au_begin>("ember_au_begin"),
      entry<ember_au_const>("ember_au_const"),
      entry<ember_au_loop>("ember_au_loop"),
      entry<ember_au_mem>("ember_au_mem"),
      entry<ember_au_dim>("ember_au_dim"),
      entry<ember_au_alu>("ember_au_alu"),
      entry<ember_au_if>("ember_au_if"),
      entry<ember_au_else>("ember_au_else"),
      entry<ember_au_end>("ember_au_end"),
      entry<ember_au_push>("ember_au_push"),
      entry<ember_au_store>("ember_au_store"),
      entry<ember_au_start>("ember_au_start"),
      entry<ember_au_wait>("ember_au_wait"),
      entry<ember_fork>("ember_fork"),
      entry<ember_join>("ember_join"),
  };
}
