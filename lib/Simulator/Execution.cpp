//===- Execution.cpp - The program runs and leaves a trace ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

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
  if (std::string problem = running->checkMemory(*program); !problem.empty())
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

Execution::Execution(const Program &program, AddressMap &map,
                     const QueuesParams &queues)
    : program(program), map(map),
      theContext({queues.dataBytes, queues.scalarBytes, queues.tokenBytes}) {
  // Behind the limit there is room for all that code may write before it tests
  // again, for the runtime's records, and for the last one.
  buffer.resize(kBufferWords + program.wordsBetweenTests + 16);
}

Execution::~Execution() = default;

llvm::Error Execution::link(Jit &jit,
                            llvm::ArrayRef<ProgramVariable> variables) {
  auto find = [&](llvm::StringRef name, auto &pointer) -> llvm::Error {
    auto address = jit.lookup(name);
    if (!address)
      return address.takeError();
    pointer = reinterpret_cast<std::decay_t<decltype(pointer)>>(*address);
    return llvm::Error::success();
  };
  if (llvm::Error error = find(symbols::kEnter, enter))
    return error;
  if (llvm::Error error = find(symbols::kCursor, cursor))
    return error;
  if (llvm::Error error = find(symbols::kLimit, limit))
    return error;
  if (llvm::Error error = find(symbols::kWindows, windows))
    return error;
  for (const ProgramVariable &variable : variables) {
    char *memory = nullptr;
    if (llvm::Error error = find(variable.name, memory))
      return error;
    addRange(variable.name, memory, variable.bytes, variable.writable);
  }
  return llvm::Error::success();
}

ArgumentId Execution::addRange(std::string name, void *host, uint64_t bytes,
                               bool mayWrite) {
  ArgumentId id = map.add(std::move(name), host, bytes);
  accessible.resize(id + 1, Access::None);
  accessible[id] = mayWrite ? Access::Write : Access::Read;
  return id;
}

void Execution::start(uint64_t *words) {
  fiber = std::make_unique<Fiber>([this, words] { enter(words); });
}

llvm::ArrayRef<uint64_t> Execution::refill() {
  *cursor = buffer.data();
  *limit = buffer.data() + kBufferWords;
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
  return {buffer.data(), size_t(*cursor - buffer.data())};
}

void Execution::append(uint64_t word) { *(*cursor)++ = word; }

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
// Memory
//===----------------------------------------------------------------------===//

/// "at offset 64 of 'table', which has 32 bytes". The argument meant is the one
/// that begins at `likely`, else the nearest.
std::string Execution::describePlace(uint64_t address, uint64_t likely) const {
  const AddressMap::Range *near = nullptr;
  uint64_t least = ~uint64_t(0);
  for (const AddressMap::Range &range : map.ranges()) {
    if (!range.size)
      continue;
    uint64_t end = range.host + range.size;
    uint64_t distance = address < range.host ? range.host - address
                        : address >= end     ? address - end
                                             : 0;
    if (range.host == likely)
      distance = 0;
    if (distance < least) {
      near = &range;
      least = distance;
    }
  }
  if (!near)
    return "where no argument is";
  return "at offset " + std::to_string(int64_t(address - near->host)) +
         " of '" + near->name + "', which has " + std::to_string(near->size) +
         " bytes";
}

std::string Execution::describe(uint32_t number, uint64_t address,
                                uint64_t bytes) const {
  const Site &site = program.sites[number];
  std::string text = "function '" + program.routines[site.routine].name + "' ";
  text += site.write ? "writes " : "reads ";
  text += std::to_string(bytes) + " bytes ";
  // What the code accessed here before, if anything.
  text += describePlace(address,
                        windows[number].simulated ? windows[number].low : 0);
  return text + site.place;
}

/// The access unit holds indices against extents, so these must be true. If
/// they are not, what the unit would do: "read 64 bytes ...".
std::string Execution::checkMemory(const rt::AccessProgram &unit) const {
  for (const rt::AccessOp &op : unit.ops()) {
    bool stores = op.kind == rt::AccessOp::Store;
    if (op.kind != rt::AccessOp::Mem && !stores)
      continue;
    __int128 low = reinterpret_cast<uint64_t>(op.base);
    __int128 high = low + op.elemBytes;
    bool empty = false;
    for (uint32_t d = 0; d < op.numDims; ++d) {
      const rt::AccessDim &dim = unit.dims()[op.firstDim + d];
      empty |= dim.extent <= 0;
      __int128 span = __int128(dim.extent - 1) * dim.stride;
      (span < 0 ? low : high) += span;
    }
    constexpr __int128 end = __int128(1) << 64;
    bool exists = low >= 0 && high <= end;
    auto place = exists ? map.find(low, high - low) : std::nullopt;
    Access allowed = place ? accessible[place->range] : Access::None;
    if (empty || (stores ? allowed == Access::Write : allowed != Access::None))
      continue;
    std::string from = exists ? describePlace(low, low) : "beyond all memory";
    std::string size = exists ? std::to_string(uint64_t(high - low)) : "many";
    const char *problem = !place                    ? ""
                          : allowed == Access::None ? " and was freed"
                                                    : " and is read-only";
    return (stores ? "write " : "read ") + size + " bytes " + from + problem +
           " (kernel " + std::to_string(unit.kernel()) + ", operation " +
           std::to_string(op.dst) + ")";
  }
  return "";
}

uint64_t Execution::translate(uint32_t site, uint64_t address) {
  return translate(site, address, program.sites[site].bytes);
}

uint64_t Execution::translate(uint32_t number, uint64_t address,
                              uint64_t bytes) {
  const Site &site = program.sites[number];
  auto place = map.find(address, bytes);
  if (!place) {
    if (!site.mayMiss)
      fail(describe(number, address, bytes));
    return 0;
  }
  const AddressMap::Range &range = map.ranges()[place->range];
  if (accessible[place->range] == Access::None) {
    fail("function '" + program.routines[site.routine].name + "' uses '" +
         range.name + "' after it was freed" + site.place);
    return 0;
  }
  if (site.write && accessible[place->range] != Access::Write) {
    fail("function '" + program.routines[site.routine].name + "' writes '" +
         range.name + "', which is read-only" + site.place);
    return 0;
  }
  uint64_t tag = uint64_t(place->range) << kArgumentShift;
  if (bytes == site.bytes)
    windows[number] = {range.host, range.size - bytes + 1,
                       range.simulated | tag};
  return place->simulated | tag;
}

void *Execution::allocate(uint64_t alignment, uint64_t bytes) {
  // Aligned to lines at least, as all memory is in the simulated space.
  alignment = std::max<uint64_t>(alignment, 64);
  uint64_t size =
      (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void *memory = size >= bytes ? std::aligned_alloc(alignment, size) : nullptr;
  if (!memory) {
    fail("the program asks for " + std::to_string(bytes) +
         " bytes of memory, which the host does not have");
    return nullptr;
  }
  // What the program reads before it writes is the same on every run.
  std::memset(memory, 0, size);
  std::shared_ptr<void> owner(memory, [](void *block) { std::free(block); });
  ArgumentId range =
      addRange("heap " + std::to_string(numBlocks++), memory, bytes, true);
  blocks.push_back({std::move(owner), range, false});
  return memory;
}

void Execution::release(void *address) {
  if (!address)
    return;
  auto block = llvm::find_if(blocks, [&](const Block &b) {
    return !b.freed && b.memory.get() == address;
  });
  if (block == blocks.end())
    return fail("the program frees memory that it did not allocate");
  // The access unit's model may still be reading it, so it stays until the end
  // of the run; only the program may not use it any more.
  block->freed = true;
  accessible[block->range] = Access::None;
  std::fill_n(windows, program.sites.size(), SiteWindow());
}

std::shared_ptr<void> Execution::takeBlock(void *address, ArgumentId &range) {
  for (const Block &block : blocks) {
    if (block.freed || block.memory.get() != address)
      continue;
    range = block.range;
    return block.memory;
  }
  return nullptr;
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
  };
}
