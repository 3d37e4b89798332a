//===- AccessWalker.cpp - The access unit's function ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/AccessWalker.h"

#include <algorithm>
#include <cstring>

using namespace ember::rt;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Wraps to `bits` and extends the sign again; i1 is 0 or 1.
static int64_t wrap(uint64_t value, unsigned bits) {
  if (bits == 1)
    return value & 1;
  unsigned shift = 64 - bits;
  return int64_t(value << shift) >> shift;
}

static int64_t evaluate(const AccessOp &op, int64_t a, int64_t b, int64_t c) {
  // Sign extension keeps the unsigned order, so it may be compared as it is.
  uint64_t ua = a, ub = b;
  switch (op.opcode) {
  case EMBER_AU_ADD:
    return wrap(ua + ub, op.bits);
  case EMBER_AU_SUB:
    return wrap(ua - ub, op.bits);
  case EMBER_AU_MUL:
    return wrap(ua * ub, op.bits);
  case EMBER_AU_MIN_S:
    return a < b ? a : b;
  case EMBER_AU_MAX_S:
    return a > b ? a : b;
  case EMBER_AU_AND:
    return a & b;
  case EMBER_AU_OR:
    return a | b;
  case EMBER_AU_XOR:
    return a ^ b;
  case EMBER_AU_SELECT:
    return a ? b : c;
  case EMBER_AU_EXTEND:
    // An i1 that is set is -1 in two's complement.
    return op.bits == 1 ? -(a & 1) : wrap(ua, op.bits);
  case EMBER_AU_EXTEND_U:
    return op.bits == 64 ? a : a & ((int64_t(1) << op.bits) - 1);
  case EMBER_AU_TRUNC:
    return wrap(ua, op.bits);
  case EMBER_AU_EQ:
    return a == b;
  case EMBER_AU_NE:
    return a != b;
  case EMBER_AU_SLT:
    return a < b;
  case EMBER_AU_SLE:
    return a <= b;
  case EMBER_AU_SGT:
    return a > b;
  case EMBER_AU_SGE:
    return a >= b;
  case EMBER_AU_ULT:
    return ua < ub;
  case EMBER_AU_ULE:
    return ua <= ub;
  case EMBER_AU_UGT:
    return ua > ub;
  case EMBER_AU_UGE:
    return ua >= ub;
  }
  return 0;
}

static int64_t load(const AccessOp &op, const unsigned char *address) {
  uint64_t bits = 0;
  std::memcpy(&bits, address, op.elemBytes);
  return op.element == EMBER_AU_INT ? wrap(bits, op.elemBytes * 8)
                                    : int64_t(bits);
}

/// Copies `count` elements of `bytes` between two places with strides.
static void copy(unsigned char *to, int64_t toStride, const unsigned char *from,
                 int64_t fromStride, int32_t count, int64_t bytes) {
  if (toStride == bytes && fromStride == bytes) {
    std::memcpy(to, from, count * bytes);
    return;
  }
  for (int32_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, bytes);
}

void AccessItem::push(unsigned char *place) const {
  if (!op) {
    std::memcpy(place, &value, 8);
    return;
  }
  uint64_t used = uint64_t(op->count) * op->elemBytes;
  copy(place, op->elemBytes, address, stride, op->count, op->elemBytes);
  std::memset(place + used, 0, bytes - used);
}

void AccessItem::storeElements() const {
  int32_t read = op ? std::min(op->count, store->count) : 0;
  copy(to, toStride, address, stride, read, store->elemBytes);
  // A scalar fills all elements, and the padding of a chunk is zero.
  int64_t rest = op ? 0 : value;
  for (int32_t i = read; i < store->count; ++i)
    std::memcpy(to + i * toStride, &rest, store->elemBytes);
}

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

AccessWalker::AccessWalker(const AccessProgram &program)
    : program(program), values(program.numValues()),
      uppers(program.numValues()), counts(program.numValues()) {}

AccessItem AccessWalker::token(int queue, int64_t value) const {
  AccessItem item{AccessItem::Push};
  item.queue = queue;
  item.bytes = 8;
  item.value = value;
  return item;
}

unsigned char *AccessWalker::addressOf(const AccessOp &op) const {
  unsigned char *address = op.base;
  for (uint32_t d = 0; d < op.numDims; ++d) {
    const AccessDim &dim = program.dims()[op.firstDim + d];
    address += values[dim.index] * dim.stride;
  }
  return address;
}

/// Bytes from one element of a read or store to the next.
int64_t AccessWalker::strideOf(const AccessOp &op) const {
  return program.dims()[op.firstDim + op.numDims - 1].stride;
}

AccessItem AccessWalker::memory(const AccessOp &op) const {
  AccessItem item{AccessItem::Memory};
  item.op = &op;
  item.address = addressOf(op);
  item.stride = strideOf(op);
  return item;
}

/// An item that takes the value with id `source` somewhere.
AccessItem AccessWalker::element(AccessItem::Kind kind, int32_t source) const {
  const AccessOp &definition = program.definition(source);
  AccessItem item{kind};
  item.value = values[source];
  if (definition.kind == AccessOp::Mem && !definition.isScalar()) {
    item.op = &definition;
    item.address = reinterpret_cast<const unsigned char *>(values[source]);
    item.stride = strideOf(definition);
  }
  return item;
}

AccessItem AccessWalker::pushed(const AccessOp &op) const {
  AccessItem item = element(AccessItem::Push, op.a);
  item.queue = op.queue;
  item.bytes = op.immediate;
  return item;
}

AccessItem AccessWalker::stored(const AccessOp &op) const {
  AccessItem item = element(AccessItem::Store, op.a);
  item.store = &op;
  item.to = addressOf(op);
  item.toStride = strideOf(op);
  return item;
}

/// Holds every index against its extent, signed and at 64 bits, before anything
/// is multiplied. False on a fault.
bool AccessWalker::checkIndices(const AccessOp &op) {
  for (uint32_t d = 0; d < op.numDims; ++d) {
    const AccessDim &dim = program.dims()[op.firstDim + d];
    int64_t index = values[dim.index];
    int64_t needed = d + 1 == op.numDims ? op.count : 1;
    if (index < 0 || index >= dim.extent || dim.extent - index < needed) {
      // Of several elements the first one outside is the bad one.
      failed(op.dst, d, index < 0 ? index : std::max(index, dim.extent),
             dim.extent, dim.index);
      return false;
    }
  }
  return true;
}

/// Runs a read. False on a fault.
bool AccessWalker::read(const AccessOp &op) {
  if (!checkIndices(op))
    return false;
  const unsigned char *address = addressOf(op);
  values[op.dst] =
      op.isScalar() ? load(op, address) : reinterpret_cast<int64_t>(address);
  ++counts[op.dst];
  return true;
}

/// Moves a loop to its next iteration; false if that was the last.
bool AccessWalker::endIteration(const AccessOp &loop) {
  int64_t &counter = values[loop.dst];
  // The difference cannot overflow as unsigned: counter < upper.
  uint64_t left = uint64_t(uppers[loop.dst]) - uint64_t(counter);
  if (left <= uint64_t(loop.immediate))
    return false;
  counter += loop.immediate;
  return true;
}

AccessItem AccessWalker::next() {
  if (pendingQueue >= 0) {
    AccessItem item = token(pendingQueue, pendingToken);
    pendingQueue = -1;
    return item;
  }
  if (faulted)
    return {AccessItem::Fault};

  const std::vector<AccessOp> &ops = program.ops();
  while (position < ops.size()) {
    const AccessOp &op = ops[position];
    switch (op.kind) {
    case AccessOp::Const:
      values[op.dst] = op.immediate;
      ++position;
      break;

    case AccessOp::Alu:
      values[op.dst] = evaluate(op, values[op.a], op.b < 0 ? 0 : values[op.b],
                                op.c < 0 ? 0 : values[op.c]);
      ++position;
      break;

    case AccessOp::Mem:
      if (!read(op))
        return {AccessItem::Fault};
      ++position;
      if (!op.quiet)
        return memory(op);
      break;

    case AccessOp::Loop: {
      if (op.immediate <= 0)
        return failed(op.dst, -1, op.immediate, 1, -1);
      int64_t lower = values[op.a], upper = values[op.b];
      values[op.dst] = lower;
      uppers[op.dst] = upper;
      if (lower >= upper) {
        position = op.match + 1;
        if (op.queue >= 0)
          return token(op.queue, EMBER_TOKEN_END);
        break;
      }
      ++position;
      if (op.queue >= 0 && !op.filtered)
        return token(op.queue, EMBER_TOKEN_ITER);
      break;
    }

    case AccessOp::If: {
      bool taken = values[op.a] != 0;
      position = taken ? position + 1 : op.match + 1;
      if (op.flagQueue >= 0) {
        if (op.queue >= 0 && taken) {
          pendingQueue = op.queue;
          pendingToken = EMBER_TOKEN_ITER;
        }
        return token(op.flagQueue, taken);
      }
      if (op.queue >= 0 && taken)
        return token(op.queue, EMBER_TOKEN_ITER);
      break;
    }

    case AccessOp::Else: // the end of the branch before it
      position = op.match + 1;
      break;

    case AccessOp::End: {
      const AccessOp &begin = ops[op.match];
      if (begin.kind != AccessOp::Loop) {
        ++position;
        break;
      }
      bool more = endIteration(begin);
      position = more ? op.match + 1 : position + 1;
      if (begin.queue >= 0 && !(more && begin.filtered)) {
        pendingQueue = begin.queue;
        pendingToken = more ? EMBER_TOKEN_ITER : EMBER_TOKEN_END;
      }
      AccessItem item{AccessItem::Iteration};
      item.op = &begin;
      return item;
    }

    case AccessOp::Push:
      ++position;
      return pushed(op);

    case AccessOp::Store:
      if (!checkIndices(op))
        return {AccessItem::Fault};
      ++position;
      return stored(op);
    }
  }
  return {AccessItem::Done};
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// The scalar read a value comes from, through arithmetic; -1 if none.
int32_t AccessWalker::findSource(int32_t id) const {
  if (id < 0)
    return -1;
  const AccessOp &op = program.definition(id);
  if (op.kind == AccessOp::Mem)
    return id;
  if (op.kind != AccessOp::Alu)
    return -1;
  // The condition of a select is not where its value comes from.
  bool select = op.opcode == EMBER_AU_SELECT;
  int32_t first = select ? (values[op.a] ? op.b : op.c) : op.a;
  int32_t source = findSource(first);
  return source >= 0 || select ? source : findSource(op.b);
}

/// The index a read used last, counted in elements of its memref.
int64_t AccessWalker::flatIndex(const AccessOp &op) const {
  int64_t flat = 0;
  for (uint32_t d = 0; d < op.numDims; ++d) {
    const AccessDim &dim = program.dims()[op.firstDim + d];
    flat = flat * dim.extent + values[dim.index];
  }
  return flat;
}

AccessItem AccessWalker::failed(int32_t op, int32_t dimension, int64_t value,
                                int64_t limit, int32_t culprit) {
  faulted = true;
  theFault = {op, dimension, value, limit, findSource(culprit), -1};
  if (theFault.source >= 0) {
    // What the user sees in the array, whatever arithmetic made of it.
    theFault.value = values[theFault.source];
    theFault.position = flatIndex(program.definition(theFault.source));
  }
  return {AccessItem::Fault};
}
