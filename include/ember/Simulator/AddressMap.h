//===- AddressMap.h - Host memory as simulated addresses ----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Compiled code runs on the caller's own arrays, whose host addresses change
// from run to run. The map gives each array a fixed simulated address: ranges
// are laid out page-aligned in the order in which they are registered, so that
// cycles never depend on host addresses. An address in no range is an access
// out of bounds.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_ADDRESSMAP_H
#define EMBER_SIMULATOR_ADDRESSMAP_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ember::sim {

/// One registered array.
struct AddressRange {
  std::string name;       ///< The argument's name, "result", "locals", ...
  uint64_t host = 0;      ///< First byte on the host.
  uint64_t bytes = 0;     ///< Size.
  uint64_t simulated = 0; ///< First byte in the simulated address space.
  bool writable = false;
};

class AddressMap {
public:
  /// Registers `bytes` at `host` and returns their simulated address. A range
  /// that overlaps earlier ones (two views of one array) joins them: the union
  /// keeps the first name, and is writable if any part is. Joining is possible
  /// only before `find` has handed out addresses, as it moves ranges.
  uint64_t add(std::string name, const void *host, uint64_t bytes,
               bool writable);

  /// Forgets the range that starts at `host`. Its simulated addresses are not
  /// used again.
  void remove(const void *host);

  /// The range that holds `host`, or null. Valid until the next `add` or
  /// `remove`.
  const AddressRange *find(uint64_t host) const;

  /// The range nearest to `host`, for messages; null if there is none.
  const AddressRange *nearest(uint64_t host) const;

  /// The simulated address of a host address, if all `bytes` are in one range.
  std::optional<uint64_t> translate(const void *host, uint64_t bytes) const;

  /// The range that holds a simulated address, or null.
  const AddressRange *findSimulated(uint64_t simulated) const;

  /// All ranges, by host address.
  const std::vector<AddressRange> &ranges() const { return sorted; }

private:
  std::vector<AddressRange> sorted;
  uint64_t next = uint64_t(1) << 20; // an address of 0 means "none"
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_ADDRESSMAP_H
