//===- ProgramMemory.cpp - The memory a program may access ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ProgramMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace ember;
using namespace ember::sim;

ArgumentId ProgramMemory::addRange(std::string name, void *host, uint64_t bytes,
                                   bool mayWrite) {
  ArgumentId id = map.add(std::move(name), host, bytes);
  accessible.resize(id + 1, Access::None);
  accessible[id] = mayWrite ? Access::Write : Access::Read;
  return id;
}

/// "at offset 64 of 'table', which has 32 bytes". The argument meant is the one
/// that begins at `likely`, else the nearest.
std::string ProgramMemory::describePlace(uint64_t address,
                                         uint64_t likely) const {
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

std::string ProgramMemory::describe(uint32_t number, uint64_t address,
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
std::string ProgramMemory::check(const rt::AccessProgram &unit) const {
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

uint64_t ProgramMemory::translate(uint32_t number, uint64_t address,
                                  uint64_t bytes, std::string &problem) {
  const Site &site = program.sites[number];
  auto place = map.find(address, bytes);
  if (!place) {
    if (!site.mayMiss)
      problem = describe(number, address, bytes);
    return 0;
  }
  const AddressMap::Range &range = map.ranges()[place->range];
  if (accessible[place->range] == Access::None) {
    problem = "function '" + program.routines[site.routine].name + "' uses '" +
              range.name + "' after it was freed" + site.place;
    return 0;
  }
  if (site.write && accessible[place->range] != Access::Write) {
    problem = "function '" + program.routines[site.routine].name +
              "' writes '" + range.name + "', which is read-only" + site.place;
    return 0;
  }
  uint64_t tag = uint64_t(place->range) << kArgumentShift;
  if (bytes == site.bytes)
    windows[number] = {range.host, range.size - bytes + 1,
                       range.simulated | tag};
  return place->simulated | tag;
}

void *ProgramMemory::allocate(uint64_t alignment, uint64_t bytes,
                              std::string &problem) {
  // Aligned to lines at least, as all memory is in the simulated space.
  alignment = std::max<uint64_t>(alignment, 64);
  uint64_t size =
      (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void *memory = size >= bytes ? std::aligned_alloc(alignment, size) : nullptr;
  if (!memory) {
    problem = "the program asks for " + std::to_string(bytes) +
              " bytes of memory, which the host does not have";
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

void ProgramMemory::release(void *address, std::string &problem) {
  if (!address)
    return;
  auto block = llvm::find_if(blocks, [&](const Block &b) {
    return !b.freed && b.memory.get() == address;
  });
  if (block == blocks.end()) {
    problem = "the program frees memory that it did not allocate";
    return;
  }
  // The access unit's model may still be reading it, so it stays until the end
  // of the run; only the program may not use it any more.
  block->freed = true;
  accessible[block->range] = Access::None;
  std::fill_n(windows, program.sites.size(), SiteWindow());
}

std::shared_ptr<void> ProgramMemory::takeBlock(void *address,
                                               ArgumentId &range) {
  for (const Block &block : blocks) {
    if (block.freed || block.memory.get() != address)
      continue;
    range = block.range;
    return block.memory;
  }
  return nullptr;
}
