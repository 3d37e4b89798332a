//===- Places.h - Places of memory that code of the core uses ---*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SLC_TRANSFORMS_PLACES_H
#define EMBER_LIB_DIALECT_SLC_TRANSFORMS_PLACES_H

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"

namespace ember::slc {

/// An element, or a vector of elements side by side, of a kernel argument or a
/// local.
struct Place {
  mlir::Value buffer;
  /// The indices, but for the last one if that is constant: then it is
  /// `column`.
  llvm::SmallVector<mlir::OpFoldResult, 2> outer;
  int64_t column = 0;
  /// Of what is loaded and stored there.
  mlir::Type type;
  /// The elements that exist: lanes from there on are masked.
  int64_t valid = 1;

  bool operator==(const Place &other) const;
  /// Whether no element is in both.
  bool isDisjoint(const Place &other) const;

  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc) const;
  void store(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::Value value) const;

private:
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpBuilder &builder,
                                            mlir::Location loc) const;
  mlir::Value getMask(mlir::OpBuilder &builder, mlir::Location loc) const;
};

/// A load or store of one place.
struct Access {
  Place place;
  mlir::Value stored; ///< Null for a load.

  /// What `op` does, if it is a load or store of one place.
  static std::optional<Access> get(mlir::Operation *op);
};

} // namespace ember::slc

#endif // EMBER_LIB_DIALECT_SLC_TRANSFORMS_PLACES_H
