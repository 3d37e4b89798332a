//===- CoreTarget.h - A core in LLVM's terms --------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_CORETARGET_H
#define EMBER_TARGET_CORETARGET_H

#include "llvm/Support/Error.h"

#include <string>

namespace ember {

struct CoreTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  /// Empty: any core of the architecture.
  std::string cpu = "x86-64-v4";
  /// "+name,-name".
  std::string features = "-prefer-256-bit";
};

/// Fails if Ember does not serve the triple, if LLVM does not know the CPU or
/// one of the features, or if they are not those of a 64-bit core: LLVM itself
/// would warn at each function, or abort. The message starts with the field:
/// "cpu: 'vax' is not allowed; ...".
llvm::Error checkCore(const CoreTarget &core);

} // namespace ember

#endif // EMBER_TARGET_CORETARGET_H
