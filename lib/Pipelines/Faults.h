//===- Faults.h - From a fault's numbers to the user's error ----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_PIPELINES_FAULTS_H
#define EMBER_LIB_PIPELINES_FAULTS_H

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Pipelines/Driver.h"
#include "ember/Simulator/Session.h"

#include "mlir/IR/BuiltinOps.h"

namespace ember {

/// The first line of source that a location names, "file:line:column", or
/// nothing.
std::string describeLocation(mlir::LocationAttr location);

/// What the numbers in the faults of a split module stand for.
class FaultSites {
public:
  FaultSites() = default;
  explicit FaultSites(mlir::ModuleOp split);

  /// The user's error: what was wrong in which argument, where, what is
  /// allowed, and the source line of the operation.
  std::unique_ptr<EmberError> describe(const sim::SessionFault &fault) const;

private:
  struct Site {
    dlc::FaultKind kind;
    /// The user's function that it is in.
    std::string function;
    std::string argument;
    /// "model.py:12:3", or empty.
    std::string location;
  };
  static std::vector<Site> readTable(mlir::Operation *owner);

  /// Of ordinary code.
  std::vector<Site> code;
  /// Of each kernel's access program, by operation.
  std::vector<std::vector<Site>> programs;
};

} // namespace ember

#endif // EMBER_LIB_PIPELINES_FAULTS_H
