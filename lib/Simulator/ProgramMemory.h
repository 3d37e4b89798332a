//===- ProgramMemory.h - The memory a program may access --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Holds each access of the running program against its arguments, variables
// and heap blocks, and gives it its simulated address. All cores share it.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_PROGRAMMEMORY_H
#define EMBER_LIB_SIMULATOR_PROGRAMMEMORY_H

#include "Instrument.h"
#include "Program.h"
#include "ember/Runtime/AccessProgram.h"
#include "ember/Simulator/AddressMap.h"

#include <memory>
#include <string>
#include <vector>

namespace ember::sim {

class ProgramMemory {
public:
  ProgramMemory(const Program &program, AddressMap &map)
      : program(program), map(map) {}

  /// The code's own, one for each site.
  void setWindows(SiteWindow *siteWindows) { windows = siteWindows; }

  /// Registers memory and whether the program may write it.
  ArgumentId addRange(std::string name, void *host, uint64_t bytes,
                      bool writable);

  // These name what is wrong in `problem`, which they leave alone otherwise.
  uint64_t translate(uint32_t site, uint64_t address, std::string &problem) {
    return translate(site, address, program.sites[site].bytes, problem);
  }
  uint64_t translate(uint32_t site, uint64_t address, uint64_t bytes,
                     std::string &problem);
  void *allocate(uint64_t alignment, uint64_t bytes, std::string &problem);
  void release(void *block, std::string &problem);

  /// What the access unit could read outside of the program's memory; empty if
  /// nothing.
  std::string check(const rt::AccessProgram &unit) const;

  /// The memory block at `address` and its range, if the program allocated it
  /// and has not freed it; the caller then shares its ownership.
  std::shared_ptr<void> takeBlock(void *address, ArgumentId &range);

private:
  enum class Access : uint8_t { None, Read, Write };

  struct Block {
    std::shared_ptr<void> memory;
    ArgumentId range;
    bool freed;
  };

  std::string describe(uint32_t site, uint64_t address, uint64_t bytes) const;
  std::string describePlace(uint64_t address, uint64_t likely) const;

  const Program &program;
  AddressMap &map;
  SiteWindow *windows = nullptr;
  std::vector<Access> accessible; ///< What the program may do, by range.
  std::vector<Block> blocks;
  unsigned numBlocks = 0;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_PROGRAMMEMORY_H
