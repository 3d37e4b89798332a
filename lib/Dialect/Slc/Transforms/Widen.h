//===- Widen.h - Elementwise code on vectors --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_WIDEN_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_WIDEN_H

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ember::slc {

/// The body of a loop of which several iterations can run at once, one in each
/// lane of a vector.
class Widening {
public:
  /// `code` is the body without its terminator. `counters` are the values in it
  /// that stand for the counter, `elements` those that differ from iteration to
  /// iteration in another way. Returns nothing if running iterations at once
  /// could change what they compute: an operation is not elementwise, or one
  /// iteration may touch what another writes.
  static std::optional<Widening> create(mlir::Block &code,
                                        mlir::ValueRange counters,
                                        mlir::ValueRange elements);

  /// Bits of the widest element that lanes hold.
  unsigned getBits() const { return bits; }

  /// Runs `lanes` iterations from counter `base` on, of which the first `valid`
  /// have effects. `vectors` maps the elements to vectors.
  void emit(mlir::OpBuilder &builder, mlir::Value base, int64_t lanes,
            int64_t valid, mlir::IRMapping vectors);

private:
  class Emitter;

  explicit Widening(mlir::Block &code) : code(&code) {}
  bool analyze(mlir::Operation &op);
  bool analyzeAccess(mlir::Operation &op, mlir::Value memref,
                     mlir::ValueRange indices, bool writes);
  bool isIndependent() const;
  bool isVarying(mlir::Value value) const { return varying.contains(value); }
  bool isConsecutive(mlir::Value value) const {
    return consecutive.contains(value);
  }
  void addType(mlir::Type type);

  struct Access {
    mlir::Value memref;
    llvm::SmallVector<mlir::Value> indices;
    bool writes;
  };

  mlir::Block *code;
  unsigned bits = 0;
  /// Values that differ from iteration to iteration; of these, those that count
  /// up with the counter.
  llvm::DenseSet<mlir::Value> varying, consecutive;
  llvm::SmallVector<Access> accesses;
};

} // namespace ember::slc

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_WIDEN_H
