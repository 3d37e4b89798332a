//===- Report.h - Statistics for people -------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIMULATOR_REPORT_H
#define EMBER_SIMULATOR_REPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace ember::sim {

/// Prints a run's statistics, given as JSON text, as a table.
llvm::Error printReport(llvm::StringRef statistics, llvm::raw_ostream &os);

} // namespace ember::sim

#endif // EMBER_SIMULATOR_REPORT_H
