//===- InitAll.h - One call that registers all of Ember ---------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_PIPELINES_INITALL_H
#define EMBER_PIPELINES_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ember {

/// Adds Ember's dialects, the upstream dialects they are lowered through, and
/// every interface implementation (bufferization, LLVM translation) to
/// `registry`.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers Ember's passes and pipelines, and the upstream passes that a
/// pipeline of Ember's may be mixed with.
void registerAllPasses();

} // namespace ember

#endif // EMBER_PIPELINES_INITALL_H
