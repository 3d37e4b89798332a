//===- ReduceAngle.h - Angles modulo a quarter turn -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_TARGET_REDUCEANGLE_H
#define EMBER_LIB_TARGET_REDUCEANGLE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ember {

/// angle = quadrant * pi/2 + rest, with |rest| <= pi/4, both within 2^-51.
struct ReducedAngle {
  mlir::Value rest;
  /// i64; only its last two bits count.
  mlir::Value quadrant;
};

/// Reduces an f64 or a vector of them. Infinities and NaN have a NaN for rest.
ReducedAngle reduceAngle(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value angle);

} // namespace ember

#endif // EMBER_LIB_TARGET_REDUCEANGLE_H
