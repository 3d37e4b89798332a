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

/// A value handed from one iteration of a loop to the next: what an iteration
/// finds, and what it leaves.
struct CarriedValue {
  mlir::Value found, left;
};

/// The body of a loop of which several iterations can run at once, one in each
/// lane of a vector.
///
/// Carried values must be reductions: sums, products, minima and the like. Each
/// lane reduces the iterations it runs, in their order; of the vector of these
/// the upper half is then combined with the lower one until one element is
/// left, and that with what the loop started from. So the order depends on the
/// length of the loop and the number of lanes alone. Lanes beyond the last
/// iteration take the neutral element.
class Widening {
public:
  /// `code` is the body without its terminator. `counters` are the values in it
  /// that stand for the counter, `elements` those that differ from iteration to
  /// iteration in another way. Returns nothing if running iterations at once
  /// could change what they compute by more than the order of a reduction: an
  /// operation is not elementwise, or one iteration may touch what another
  /// writes.
  static std::optional<Widening> create(mlir::Block &code,
                                        mlir::ValueRange counters,
                                        mlir::ValueRange elements,
                                        llvm::ArrayRef<CarriedValue> carried);

  /// Bits of the widest element that lanes hold.
  unsigned getBits() const { return bits; }

  /// For each carried value, a vector of its neutral element.
  llvm::SmallVector<mlir::TypedAttr> getNeutral(int64_t lanes) const;

  /// Runs `lanes` iterations from counter `base` on, of which the first `valid`
  /// have effects. `vectors` maps the elements to vectors. `partial` are the
  /// vectors reduced so far, none at the start; returns the next ones.
  llvm::SmallVector<mlir::Value> emit(mlir::OpBuilder &builder,
                                      mlir::Value base, int64_t lanes,
                                      int64_t valid, mlir::IRMapping vectors,
                                      mlir::ValueRange partial) const;

  /// The carried values after the loop, which started from `inits`.
  llvm::SmallVector<mlir::Value> emitResults(mlir::OpBuilder &builder,
                                             mlir::ValueRange partial,
                                             mlir::ValueRange inits) const;

private:
  class Emitter;

  /// left = combiner(found, element)
  struct Reduction {
    mlir::Operation *combiner;
    mlir::Value element;
    mlir::TypedAttr neutral;
  };

  explicit Widening(mlir::Block &code) : code(&code) {}
  bool addReduction(CarriedValue carried);
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
  llvm::SmallVector<Reduction> reductions;
};

} // namespace ember::slc

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_WIDEN_H
