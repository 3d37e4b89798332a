//===- Levels.h - The optimisation levels -----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_TRANSFORMS_LEVELS_H
#define EMBER_DIALECT_SLC_TRANSFORMS_LEVELS_H

namespace ember::slc {

/// The highest optimisation level there is, and the default.
inline constexpr int maxLevel = 4;

} // namespace ember::slc

#endif // EMBER_DIALECT_SLC_TRANSFORMS_LEVELS_H
