//===- AccessProgram.cpp - What the access unit was told to do ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/AccessProgram.h"

#include <algorithm>

using namespace ember::rt;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

// Keeps the first mistake; what follows it is often only its consequence.
void AccessProgram::fail(const std::string &message) {
  if (error.empty())
    error = "access program of kernel " + std::to_string(kernelNumber) +
            ", operation " + std::to_string(list.size()) + ": " + message;
}

bool AccessProgram::define(int32_t dst) {
  if (dst != int32_t(definitions.size())) {
    fail("id " + std::to_string(dst) + " is not the next one, " +
         std::to_string(definitions.size()));
    return false;
  }
  definitions.push_back(list.size());
  depths.push_back(loopDepth);
  inScope.push_back(true);
  return true;
}

/// Whether `operand` names a value that exists here.
bool AccessProgram::checkInScope(int32_t operand, const char *what) {
  if (operand >= 0 && size_t(operand) < inScope.size() && inScope[operand] &&
      definition(operand).kind != AccessOp::Store)
    return true;
  fail(std::string(what) + " " + std::to_string(operand) + " is not in scope");
  return false;
}

bool AccessProgram::use(int32_t operand, const char *what) {
  if (!checkInScope(operand, what))
    return false;
  const AccessOp &op = definition(operand);
  if (op.kind == AccessOp::Mem && !op.isScalar()) {
    fail(std::string(what) + " " + std::to_string(operand) +
         " is not a scalar");
    return false;
  }
  return true;
}

bool AccessProgram::checkQueue(int32_t queue, const char *what, bool optional) {
  if (queue >= 0 ? queue < EMBER_QUEUES : optional && queue == -1)
    return true;
  fail(std::string(what) + " " + std::to_string(queue) + " does not exist");
  return false;
}

AccessOp &AccessProgram::append(AccessOp::Kind kind) {
  list.emplace_back();
  list.back().kind = kind;
  return list.back();
}

void AccessProgram::constant(int32_t dst, int64_t value) {
  if (!define(dst))
    return;
  AccessOp &op = append(AccessOp::Const);
  op.dst = dst;
  op.immediate = value;
}

void AccessProgram::loop(int32_t dst, int32_t lower, int32_t upper,
                         int64_t step, int32_t tokenQueue) {
  if (!use(lower, "lower bound") || !use(upper, "upper bound") ||
      !checkQueue(tokenQueue, "token queue", /*optional=*/true))
    return;
  ++loopDepth;
  size_t firstId = definitions.size();
  if (!define(dst))
    return;
  open.push_back({uint32_t(list.size()), firstId});
  AccessOp &op = append(AccessOp::Loop);
  op.dst = dst;
  op.a = lower;
  op.b = upper;
  op.immediate = step;
  op.queue = tokenQueue;
}

static bool isElementSize(int32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

void AccessProgram::mem(int32_t dst, const void *base, int32_t elemBytes,
                        int32_t element, int32_t count, int32_t padded) {
  if (!isElementSize(elemBytes))
    return fail("element of " + std::to_string(elemBytes) + " bytes");
  if (count < 1 || padded < count || padded > (1 << 24))
    return fail("count " + std::to_string(count) + ", padded " +
                std::to_string(padded));
  if (!define(dst))
    return;
  AccessOp &op = append(AccessOp::Mem);
  op.dst = dst;
  op.base = static_cast<unsigned char *>(const_cast<void *>(base));
  op.elemBytes = elemBytes;
  op.element = element;
  op.count = count;
  op.padded = padded;
  op.firstDim = dimList.size();
}

void AccessProgram::store(int32_t dst, int32_t src, void *base,
                          int32_t elemBytes, int32_t count) {
  if (!checkInScope(src, "stored id"))
    return;
  if (!isElementSize(elemBytes))
    return fail("element of " + std::to_string(elemBytes) + " bytes");
  const AccessOp &source = definition(src);
  bool many = source.kind == AccessOp::Mem && !source.isScalar();
  if (count < 1 || count > (1 << 24) || (many && count > source.padded))
    return fail("store of " + std::to_string(count) + " elements");
  if (many && elemBytes != source.elemBytes)
    return fail("elements of " + std::to_string(elemBytes) +
                " bytes where the value's have " +
                std::to_string(source.elemBytes));
  if (!define(dst))
    return;
  AccessOp &op = append(AccessOp::Store);
  op.dst = dst;
  op.a = src;
  op.base = static_cast<unsigned char *>(base);
  op.elemBytes = elemBytes;
  op.count = count;
  op.firstDim = dimList.size();
}

void AccessProgram::dim(int32_t index, int64_t extent, int64_t strideBytes) {
  if (list.empty() || (list.back().kind != AccessOp::Mem &&
                       list.back().kind != AccessOp::Store))
    return fail("a dimension that follows no read or store");
  if (!use(index, "index") || index == list.back().dst)
    return fail("index " + std::to_string(index) + " is not in scope");
  dimList.push_back({index, extent, strideBytes});
  ++list.back().numDims;
}

void AccessProgram::alu(int32_t dst, int32_t opcode, int32_t bits, int32_t a,
                        int32_t b, int32_t c) {
  bool known = (opcode >= EMBER_AU_ADD && opcode <= EMBER_AU_TRUNC) ||
               (opcode >= EMBER_AU_EQ && opcode <= EMBER_AU_UGE);
  if (!known)
    return fail("unknown opcode " + std::to_string(opcode));
  if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return fail(std::to_string(bits) + " bits");
  bool unary = opcode >= EMBER_AU_EXTEND && opcode <= EMBER_AU_TRUNC;
  if (!use(a, "operand") || (!unary && !use(b, "operand")) ||
      (opcode == EMBER_AU_SELECT && !use(c, "operand")) || !define(dst))
    return;
  AccessOp &op = append(AccessOp::Alu);
  op.dst = dst;
  op.opcode = opcode;
  op.bits = bits;
  op.a = a;
  op.b = unary ? -1 : b;
  op.c = opcode == EMBER_AU_SELECT ? c : -1;
}

void AccessProgram::beginIf(int32_t cond, int32_t filterQueue,
                            int32_t flagQueue) {
  if (!use(cond, "condition") ||
      !checkQueue(filterQueue, "filter queue", /*optional=*/true) ||
      !checkQueue(flagQueue, "flag queue", /*optional=*/true))
    return;
  if (filterQueue >= 0) {
    if (open.empty() || list[open.back().op].kind != AccessOp::Loop ||
        list[open.back().op].queue != filterQueue)
      return fail("a filter outside a loop with that token queue");
    list[open.back().op].filtered = true;
  }
  open.push_back({uint32_t(list.size()), definitions.size()});
  AccessOp &op = append(AccessOp::If);
  op.a = cond;
  op.queue = filterQueue;
  op.flagQueue = flagQueue;
}

void AccessProgram::beginElse() {
  if (open.empty() || list[open.back().op].kind != AccessOp::If)
    return fail("else without an if");
  if (list[open.back().op].queue >= 0)
    return fail("else of a filter");
  Open &scope = open.back();
  std::fill(inScope.begin() + scope.firstId, inScope.end(), false);
  list[scope.op].match = list.size();
  scope.op = list.size();
  scope.firstId = definitions.size();
  append(AccessOp::Else);
}

void AccessProgram::end() {
  if (open.empty())
    return fail("end without a loop or if");
  Open scope = open.back();
  open.pop_back();
  std::fill(inScope.begin() + scope.firstId, inScope.end(), false);
  if (list[scope.op].kind == AccessOp::Loop)
    --loopDepth;
  list[scope.op].match = list.size();
  append(AccessOp::End).match = scope.op;
}

void AccessProgram::push(int32_t queue, int32_t src, int32_t bytes) {
  if (!checkQueue(queue, "queue", /*optional=*/false))
    return;
  if (!checkInScope(src, "pushed id"))
    return;
  const AccessOp &source = definition(src);
  uint64_t size = source.kind == AccessOp::Mem ? source.elementBytes() : 8;
  if (bytes < 0 || uint64_t(bytes) != size)
    return fail("push of " + std::to_string(bytes) +
                " bytes where the value has " + std::to_string(size));
  AccessOp &op = append(AccessOp::Push);
  op.queue = queue;
  op.a = src;
  op.immediate = bytes;
}

std::string AccessProgram::finish() {
  if (!open.empty())
    fail("a loop or if is not ended");
  for (const AccessOp &op : list)
    if ((op.kind == AccessOp::Mem || op.kind == AccessOp::Store) &&
        op.numDims == 0)
      fail((op.kind == AccessOp::Mem ? "read " : "store ") +
           std::to_string(op.dst) + " has no dimensions");
  return error;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// By position in the list: what decides the addresses of `dst`, and itself.
std::vector<bool> AccessProgram::neededBy(int32_t dst) const {
  std::vector<bool> needed(list.size());
  std::vector<uint32_t> work;
  auto need = [&](uint32_t index) {
    if (!needed[index]) {
      needed[index] = true;
      work.push_back(index);
    }
  };
  auto needValue = [&](int32_t id) {
    if (id >= 0)
      need(definitions[id]);
  };

  // What encloses each operation: the innermost open Loop, If or Else.
  constexpr uint32_t none = ~uint32_t(0);
  std::vector<uint32_t> parent(list.size(), none);
  std::vector<uint32_t> stack;
  for (uint32_t i = 0; i < list.size(); ++i) {
    AccessOp::Kind kind = list[i].kind;
    if (kind == AccessOp::End) {
      stack.pop_back();
    } else if (kind == AccessOp::Else) {
      uint32_t branch = stack.back();
      stack.back() = i;
      parent[i] = branch; // an else needs its if
      continue;
    }
    parent[i] = stack.empty() ? none : stack.back();
    if (kind == AccessOp::Loop || kind == AccessOp::If)
      stack.push_back(i);
  }

  needValue(dst);
  while (!work.empty()) {
    uint32_t index = work.back();
    work.pop_back();
    const AccessOp &op = list[index];
    if (parent[index] != none)
      need(parent[index]);
    switch (op.kind) {
    case AccessOp::Loop:
      needValue(op.a);
      needValue(op.b);
      need(op.match);
      break;
    case AccessOp::If:
      needValue(op.a);
      need(op.match); // its Else or End
      break;
    case AccessOp::Else:
      need(op.match);
      break;
    case AccessOp::Alu:
      needValue(op.a);
      needValue(op.b);
      needValue(op.c);
      break;
    case AccessOp::Mem:
      for (uint32_t d = 0; d < op.numDims; ++d)
        needValue(dimList[op.firstDim + d].index);
      break;
    case AccessOp::Const:
    case AccessOp::End:
    case AccessOp::Push:
    case AccessOp::Store:
      break;
    }
  }
  return needed;
}

std::vector<int32_t> AccessProgram::sourcesOf(int32_t dst) const {
  std::vector<bool> needed = neededBy(dst);
  std::vector<int32_t> sources;
  for (uint32_t i = 0; i < list.size(); ++i)
    if (needed[i] && list[i].kind == AccessOp::Mem && list[i].dst != dst)
      sources.push_back(list[i].dst);
  return sources;
}

AccessProgram AccessProgram::slice(int32_t dst) const {
  std::vector<bool> needed = neededBy(dst);
  AccessProgram result(kernelNumber);
  result.dimList = dimList;
  result.depths = depths;
  result.definitions.assign(definitions.size(), 0);
  std::vector<uint32_t> moved(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (!needed[i])
      continue;
    moved[i] = result.list.size();
    result.list.push_back(list[i]);
    AccessOp &op = result.list.back();
    op.queue = op.flagQueue = -1;
    op.filtered = false;
    op.quiet = op.dst != dst;
    if (op.dst >= 0)
      result.definitions[op.dst] = moved[i];
  }
  for (AccessOp &op : result.list)
    op.match = moved[op.match];
  return result;
}

//===----------------------------------------------------------------------===//
// Cost and text
//===----------------------------------------------------------------------===//

unsigned AccessProgram::registerWrites() const {
  unsigned writes = 1; // the doorbell
  for (const AccessOp &op : list) {
    switch (op.kind) {
    case AccessOp::Const: // operation, value
    case AccessOp::Loop:  // operation and operands, step
      writes += 2;
      break;
    case AccessOp::Mem: // operation, base; index and stride, extent
    case AccessOp::Store:
      writes += 2 + 2 * op.numDims;
      break;
    case AccessOp::Alu:
    case AccessOp::If:
    case AccessOp::Else:
    case AccessOp::End:
    case AccessOp::Push:
      writes += 1;
      break;
    }
  }
  return writes;
}

static const char *opcodeName(uint8_t opcode) {
  switch (opcode) {
  case EMBER_AU_ADD:
    return "add";
  case EMBER_AU_SUB:
    return "sub";
  case EMBER_AU_MUL:
    return "mul";
  case EMBER_AU_MIN_S:
    return "min";
  case EMBER_AU_MAX_S:
    return "max";
  case EMBER_AU_AND:
    return "and";
  case EMBER_AU_OR:
    return "or";
  case EMBER_AU_XOR:
    return "xor";
  case EMBER_AU_SELECT:
    return "select";
  case EMBER_AU_EXTEND:
    return "extend";
  case EMBER_AU_EXTEND_U:
    return "extendu";
  case EMBER_AU_TRUNC:
    return "trunc";
  case EMBER_AU_EQ:
    return "eq";
  case EMBER_AU_NE:
    return "ne";
  case EMBER_AU_SLT:
    return "slt";
  case EMBER_AU_SLE:
    return "sle";
  case EMBER_AU_SGT:
    return "sgt";
  case EMBER_AU_SGE:
    return "sge";
  case EMBER_AU_ULT:
    return "ult";
  case EMBER_AU_ULE:
    return "ule";
  case EMBER_AU_UGT:
    return "ugt";
  case EMBER_AU_UGE:
    return "uge";
  }
  return "?";
}

static const char *queueName(int queue) {
  static const char *const names[] = {"data", "scalar", "token"};
  return names[queue];
}

std::string AccessProgram::print() const {
  auto id = [](int32_t value) { return "%" + std::to_string(value); };
  auto printDims = [&](const AccessOp &op) {
    std::string text;
    for (uint32_t d = 0; d < op.numDims; ++d) {
      const AccessDim &dim = dimList[op.firstDim + d];
      text += " [" + id(dim.index) + " < " + std::to_string(dim.extent) +
              " * " + std::to_string(dim.stride) + "]";
    }
    return text;
  };
  std::string text = "kernel " + std::to_string(kernelNumber) + "\n";
  std::string indent = "  ";
  for (const AccessOp &op : list) {
    if (op.kind == AccessOp::End || op.kind == AccessOp::Else)
      indent.resize(indent.size() - 2);
    text += indent;
    switch (op.kind) {
    case AccessOp::Const:
      text += id(op.dst) + " = const " + std::to_string(op.immediate);
      break;
    case AccessOp::Loop:
      text += id(op.dst) + " = loop " + id(op.a) + " to " + id(op.b) +
              " step " + std::to_string(op.immediate);
      if (op.queue >= 0)
        text += std::string(op.filtered ? " filtered " : " until ") +
                queueName(op.queue);
      indent += "  ";
      break;
    case AccessOp::Mem:
      text += id(op.dst) + " = mem " + std::to_string(op.elemBytes) +
              (op.element == EMBER_AU_INT ? " int" : " opaque");
      if (!op.isScalar())
        text += " x " + std::to_string(op.count) + " pad " +
                std::to_string(op.padded);
      text += printDims(op);
      break;
    case AccessOp::Store:
      text += id(op.dst) + ": store " + id(op.a) + " to " +
              std::to_string(op.elemBytes) + " x " + std::to_string(op.count) +
              printDims(op);
      break;
    case AccessOp::Alu:
      text += id(op.dst) + " = " + opcodeName(op.opcode) + "." +
              std::to_string(op.bits);
      for (int32_t operand : {op.a, op.b, op.c})
        if (operand >= 0)
          text += " " + id(operand);
      break;
    case AccessOp::If:
      text += "if " + id(op.a);
      if (op.queue >= 0)
        text += std::string(" filter ") + queueName(op.queue);
      if (op.flagQueue >= 0)
        text += std::string(" flag ") + queueName(op.flagQueue);
      indent += "  ";
      break;
    case AccessOp::Else:
      text += "else";
      indent += "  ";
      break;
    case AccessOp::End:
      text += "end";
      break;
    case AccessOp::Push:
      text += std::string("push ") + queueName(op.queue) + " " + id(op.a) +
              " bytes " + std::to_string(op.immediate);
      break;
    }
    text += "\n";
  }
  return text;
}
