//===- SessionTestSupport.h - Run LLVM text on a machine --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TEST_UNIT_SIMULATOR_SESSIONTESTSUPPORT_H
#define EMBER_TEST_UNIT_SIMULATOR_SESSIONTESTSUPPORT_H

#include "ember/Simulator/Session.h"

#include <cstring>
#include <string>
#include <vector>

namespace ember::sim::test {

template <typename T>
SessionArgument array(std::string name, std::vector<T> &values,
                      bool writable = false) {
  SessionArgument argument;
  argument.name = std::move(name);
  argument.data = values.data();
  argument.bytes = values.size() * sizeof(T);
  argument.writable = writable;
  return argument;
}

template <typename T>
SessionArgument scalar(T value) {
  SessionArgument argument;
  argument.kind = SessionArgument::Kind::Scalar;
  std::memcpy(&argument.bits, &value, sizeof(T));
  return argument;
}

/// core-hbm2 with values replaced ("core.dispatch_width=8").
Machine machine(const std::vector<std::string> &overrides = {});

/// Runs `entry` of a module given as text.
llvm::Expected<SessionOutcome>
run(const Machine &machine, const std::string &text, const std::string &entry,
    std::vector<SessionArgument> arguments, const SessionOptions &options = {},
    bool takesContext = false);

/// As `run`, where an error is a failure of the test.
SessionOutcome runOk(const Machine &machine, const std::string &text,
                     const std::string &entry,
                     std::vector<SessionArgument> arguments);

/// As `runOk`, with the context as the first argument.
SessionOutcome runWithContext(const Machine &machine, const std::string &text,
                              const std::string &entry,
                              std::vector<SessionArgument> arguments);

/// statistics.core.name
uint64_t coreCount(const SessionOutcome &outcome, const std::string &name);

/// A value carried around a loop.
struct Carried {
  std::string type, start, name, next;
};

/// A function `f` of %n and `parameters` that runs `body` for %i from 0 to %n.
std::string loop(const std::string &parameters,
                 const std::vector<Carried> &carried, const std::string &body);

} // namespace ember::sim::test

#endif // EMBER_TEST_UNIT_SIMULATOR_SESSIONTESTSUPPORT_H
