//===- LinkedPool.h - Records in many short lists ---------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_LINKEDPOOL_H
#define EMBER_SIMULATOR_LINKEDPOOL_H

#include <cstdint>
#include <vector>

namespace ember::sim {

/// Records that are linked into lists by their member `next`, an index here
/// or -1. Those given back are used again, so a run settles at the number it
/// needs at once.
template <typename Record>
class LinkedPool {
public:
  /// The index of a new record.
  int32_t take(const Record &record) {
    int32_t index = firstFree;
    if (index >= 0) {
      firstFree = records[index].next;
      records[index] = record;
    } else {
      index = records.size();
      records.push_back(record);
    }
    return index;
  }

  /// Gives a record back and returns the one linked behind it.
  int32_t give(int32_t index) {
    int32_t next = records[index].next;
    records[index].next = firstFree;
    firstFree = index;
    return next;
  }

  Record &operator[](int32_t index) { return records[index]; }

private:
  std::vector<Record> records;
  int32_t firstFree = -1;
};

} // namespace ember::sim

#endif // EMBER_SIMULATOR_LINKEDPOOL_H
