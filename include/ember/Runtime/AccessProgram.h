//===- AccessProgram.h - What the access unit was told to do ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The program built by the ember_au_* calls of one launch: a flat list of
// operations with loops and branches closed by End, ready to be walked.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_ACCESSPROGRAM_H
#define EMBER_RUNTIME_ACCESSPROGRAM_H

#include "ember/Runtime/ABI.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ember::rt {

struct AccessOp {
  enum Kind : uint8_t { Const, Loop, Mem, Store, Alu, If, Else, End, Push };

  Kind kind;
  uint8_t opcode = 0;    ///< Alu: ember_au_opcode
  uint8_t bits = 0;      ///< Alu
  uint8_t elemBytes = 0; ///< Mem and Store
  uint8_t element = 0;   ///< Mem: ember_au_element
  /// Mem: a dependence inside a slice, whose reads are another stream's.
  bool quiet = false;
  /// Loop: its ITER tokens are sent by an If in its body.
  bool filtered = false;
  int8_t queue = -1;     ///< Loop and If: of tokens; Push
  int8_t flagQueue = -1; ///< If
  int32_t dst = -1;
  /// Loop: lower, upper; If: cond; Push and Store: src.
  int32_t a = -1, b = -1, c = -1;
  int32_t count = 1;                  ///< Mem and Store: elements
  int32_t padded = 1;                 ///< Mem: elements, with padding
  uint32_t firstDim = 0, numDims = 0; ///< Mem and Store
  /// Loop: its End. If: its Else or End. Else: its End. End: what it closes.
  uint32_t match = 0;
  int64_t immediate = 0;         ///< Const: value; Loop: step; Push: bytes
  unsigned char *base = nullptr; ///< Mem, which only reads it, and Store

  bool isScalar() const { return count == 1 && padded == 1; }
  /// Mem: bytes of one element in a queue or in the unit's storage.
  uint64_t elementBytes() const {
    return (uint64_t(padded) * elemBytes + 7) / 8 * 8;
  }
};

struct AccessDim {
  int32_t index;
  int64_t extent;
  int64_t stride; ///< bytes
};

class AccessProgram {
public:
  explicit AccessProgram(int32_t kernel) : kernelNumber(kernel) {}

  //===-- Building, in the order of the ABI's calls
  //-------------------------===//

  void constant(int32_t dst, int64_t value);
  void loop(int32_t dst, int32_t lower, int32_t upper, int64_t step,
            int32_t tokenQueue);
  void mem(int32_t dst, const void *base, int32_t elemBytes, int32_t element,
           int32_t count, int32_t padded);
  void store(int32_t dst, int32_t src, void *base, int32_t elemBytes,
             int32_t count);
  void dim(int32_t index, int64_t extent, int64_t strideBytes);
  void alu(int32_t dst, int32_t opcode, int32_t bits, int32_t a, int32_t b,
           int32_t c);
  void beginIf(int32_t cond, int32_t filterQueue, int32_t flagQueue);
  void beginElse();
  void end();
  void push(int32_t queue, int32_t src, int32_t bytes);

  /// Checks that the program is complete. The first mistake of the calls, or
  /// "".
  std::string finish();

  //===-- Reading
  //------------------------------------------------------------===//

  int32_t kernel() const { return kernelNumber; }
  const std::vector<AccessOp> &ops() const { return list; }
  const std::vector<AccessDim> &dims() const { return dimList; }
  /// Number of ids.
  size_t numValues() const { return definitions.size(); }
  /// The operation with id `dst`.
  const AccessOp &definition(int32_t dst) const {
    return list[definitions[dst]];
  }
  /// Loops around the operation with id `dst`.
  unsigned depth(int32_t dst) const { return depths[dst]; }

  /// Register writes it takes to program this into a unit: one for each
  /// 64-bit word of each operation.
  unsigned registerWrites() const;

  /// The ids of scalars read from memory that the addresses of `dst`, or
  /// whether and how often it runs, depend on.
  std::vector<int32_t> sourcesOf(int32_t dst) const;

  /// The part of the program that decides the addresses of `dst`, with the
  /// same ids. All other reads in it are quiet.
  AccessProgram slice(int32_t dst) const;

  /// As text, one operation a line.
  std::string print() const;

private:
  void fail(const std::string &message);
  bool define(int32_t dst);
  bool checkInScope(int32_t operand, const char *what);
  bool use(int32_t operand, const char *what);
  bool checkQueue(int32_t queue, const char *what, bool optional);
  AccessOp &append(AccessOp::Kind kind);
  std::vector<bool> neededBy(int32_t dst) const;

  int32_t kernelNumber;
  std::vector<AccessOp> list;
  std::vector<AccessDim> dimList;
  std::vector<uint32_t> definitions; ///< by id: index into list
  std::vector<unsigned> depths;      ///< by id
  std::vector<bool> inScope;         ///< by id, while building
  struct Open {
    uint32_t op;
    size_t firstId; ///< ids from here on leave the scope at its end
  };
  std::vector<Open> open;
  unsigned loopDepth = 0;
  std::string error;
};

} // namespace ember::rt

#endif // EMBER_RUNTIME_ACCESSPROGRAM_H
