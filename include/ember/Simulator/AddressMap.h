//===- AddressMap.h - Host memory to simulated addresses --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The kernel runs on real arrays wherever the host put them. The model must
// not see those addresses, or cycles would change from run to run: each
// registered range gets a page-aligned simulated base, in the order of
// registration. An address in no range is an access out of bounds.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_ADDRESSMAP_H
#define EMBER_SIMULATOR_ADDRESSMAP_H

#include "ember/Simulator/Memory.h"

#include <optional>

namespace ember::sim {

class AddressMap {
public:
  struct Range {
    std::string name;
    uint64_t host;
    uint64_t size;
    uint64_t simulated;
  };

  struct Place {
    uint64_t simulated;
    ArgumentId range; ///< index of ranges()
  };

  AddressMap();

  /// Registers host memory. Ranges must not overlap; a size of 0 is kept for
  /// its name. Returns the range's id. Id 0 is taken: "other".
  ArgumentId add(std::string name, const void *host, uint64_t size);

  /// Forgets the host address of a range (its memory is freed). Its name and
  /// simulated address stay for the statistics.
  void remove(ArgumentId range);

  /// Where `host` .. `host + size` lies, or nothing if not wholly in a range.
  std::optional<Place> find(uint64_t host, uint64_t size = 1) const {
    const Range &last = allRanges[lastFound];
    if (host - last.host < last.size && size <= last.size - (host - last.host))
      return Place{last.simulated + (host - last.host), lastFound};
    return search(host, size);
  }

  const std::vector<Range> &ranges() const { return allRanges; }

private:
  std::optional<Place> search(uint64_t host, uint64_t size) const;

  std::vector<Range> allRanges;
  std::vector<ArgumentId> byHost; ///< live ranges, sorted by host address
  mutable ArgumentId lastFound = 0;
  uint64_t nextSimulated;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_ADDRESSMAP_H
