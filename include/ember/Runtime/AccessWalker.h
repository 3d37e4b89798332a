//===- AccessWalker.h - The access unit's function --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Walks an access program over the real arrays, one item at a time: what is
// read, what is pushed, what is stored. The functional queues and the timing
// model walk the same program independently; what a program reads nobody writes
// during a kernel, so all walks agree. A walk itself writes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_ACCESSWALKER_H
#define EMBER_RUNTIME_ACCESSWALKER_H

#include "ember/Runtime/AccessProgram.h"

namespace ember::rt {

/// Why the unit stopped.
struct AccessFault {
  int32_t op = -1;        ///< id of the read or loop
  int32_t dimension = -1; ///< of the read; -1 for a loop's step
  int64_t value = 0;      ///< the bad index; a loop's step
  int64_t limit = 0;      ///< the extent; the least step
  /// The read that the bad index comes from, followed back through
  /// arithmetic, and the flattened index of that read; `value` is then what was
  /// read there. Both -1 if it was not loaded.
  int32_t source = -1;
  int64_t position = -1;
};

struct AccessItem {
  enum Kind : uint8_t {
    Memory,    ///< `op` reads `elements` from `address` on
    Push,      ///< an element goes into `queue`
    Store,     ///< `store` writes an element to `to`
    Iteration, ///< the body of loop `op` ended
    Done,
    Fault
  };
  Kind kind;
  int8_t queue = -1;
  uint32_t bytes = 0; ///< Push: of the element
  /// Memory: the read. Iteration: the loop. Push and Store: the vector or chunk
  /// read whose value the element is, or null for a scalar, a token or a flag,
  /// which is `value`.
  const AccessOp *op = nullptr;
  /// Of the first element; further ones are `stride` bytes apart.
  const unsigned char *address = nullptr;
  int64_t stride = 0;
  int64_t value = 0;
  const AccessOp *store = nullptr;
  /// Where the first stored element goes; further ones are `toStride` apart.
  unsigned char *to = nullptr;
  int64_t toStride = 0;

  /// Writes the element to be pushed into its place in the queue.
  void push(unsigned char *place) const;
  /// Writes the elements to be stored.
  void storeElements() const;
};

class AccessWalker {
public:
  /// The program must outlive the walker.
  explicit AccessWalker(const AccessProgram &program);

  /// The next item. After Done or Fault, the same again.
  AccessItem next();

  /// Times the read with id `dst` ran so far.
  uint64_t runs(int32_t dst) const { return counts[dst]; }
  const AccessFault &fault() const { return theFault; }

private:
  bool read(const AccessOp &op);
  AccessItem failed(int32_t op, int32_t dimension, int64_t value, int64_t limit,
                    int32_t culprit);
  bool endIteration(const AccessOp &loop);
  AccessItem token(int queue, int64_t value) const;
  bool checkIndices(const AccessOp &op);
  unsigned char *addressOf(const AccessOp &op) const;
  int64_t strideOf(const AccessOp &op) const;
  AccessItem memory(const AccessOp &op) const;
  AccessItem element(AccessItem::Kind kind, int32_t source) const;
  AccessItem pushed(const AccessOp &op) const;
  AccessItem stored(const AccessOp &op) const;
  int32_t findSource(int32_t id) const;
  int64_t flatIndex(const AccessOp &op) const;

  const AccessProgram &program;
  size_t position = 0; ///< position in the program
  /// By id: a scalar's value; a chunk's address; a loop's counter.
  std::vector<int64_t> values;
  std::vector<int64_t> uppers; ///< by id, of loops
  std::vector<uint64_t> counts;
  /// A token that goes out before the walk continues.
  int pendingQueue = -1;
  int64_t pendingToken = 0;
  bool faulted = false;
  AccessFault theFault;
};

} // namespace ember::rt

#endif // EMBER_RUNTIME_ACCESSWALKER_H
