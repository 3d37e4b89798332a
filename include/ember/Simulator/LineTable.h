//===- LineTable.h - Lines under way, by address ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_LINETABLE_H
#define EMBER_SIMULATOR_LINETABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ember::sim {

/// A map from at most `capacity` lines to small numbers: open addressing with
/// linear probing, at most a quarter full.
class LineTable {
public:
  explicit LineTable(unsigned capacity) {
    size_t size = 16;
    while (size < 4 * size_t(capacity))
      size *= 2;
    slots.resize(size);
  }

  /// The number of a line, or -1.
  int32_t find(uint64_t line) const {
    for (size_t i = home(line);; i = after(i)) {
      if (slots[i].number < 0)
        return -1;
      if (slots[i].line == line)
        return slots[i].number;
    }
  }

  /// Adds a line that is not there.
  void insert(uint64_t line, int32_t number) {
    size_t i = home(line);
    while (slots[i].number >= 0)
      i = after(i);
    slots[i] = {line, number};
  }

  /// Removes a line that is there. Later entries move up into the gap, so that
  /// look-ups need no marks.
  void erase(uint64_t line) {
    size_t gap = home(line);
    while (slots[gap].line != line || slots[gap].number < 0)
      gap = after(gap);
    for (size_t i = after(gap); slots[i].number >= 0; i = after(i)) {
      size_t mask = slots.size() - 1;
      if (((i - home(slots[i].line)) & mask) < ((i - gap) & mask))
        continue;
      slots[gap] = slots[i];
      gap = i;
    }
    slots[gap].number = -1;
  }

private:
  struct Slot {
    uint64_t line = 0;
    int32_t number = -1;
  };

  size_t home(uint64_t line) const {
    return (line * 0x9E3779B97F4A7C15 >> 40) & (slots.size() - 1);
  }
  size_t after(size_t i) const { return (i + 1) & (slots.size() - 1); }

  std::vector<Slot> slots;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_LINETABLE_H
