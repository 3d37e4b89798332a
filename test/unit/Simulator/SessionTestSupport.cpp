//===- SessionTestSupport.cpp - Run LLVM text on a machine ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace ember::sim;

Machine test::machine(const std::vector<std::string> &overrides) {
  auto loaded = Machine::load("core-hbm2", overrides);
  if (!loaded) {
    ADD_FAILURE() << llvm::toString(loaded.takeError());
    return {};
  }
  return *loaded;
}

llvm::Expected<SessionOutcome>
test::run(const Machine &machine, const std::string &text,
          const std::string &entry, std::vector<SessionArgument> arguments,
          const SessionOptions &options, bool takesContext) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, *context);
  if (!module) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    diagnostic.print("test", stream);
    return llvm::createStringError(message);
  }
  SessionEntry call;
  call.name = entry;
  call.takesContext = takesContext;
  return sim::run(machine, std::move(module), std::move(context), call,
                  arguments, options);
}

static SessionOutcome expectOk(llvm::Expected<SessionOutcome> outcome) {
  if (!outcome) {
    ADD_FAILURE() << llvm::toString(outcome.takeError());
    return {};
  }
  return std::move(*outcome);
}

SessionOutcome test::runOk(const Machine &machine, const std::string &text,
                           const std::string &entry,
                           std::vector<SessionArgument> arguments) {
  return expectOk(run(machine, text, entry, std::move(arguments)));
}

SessionOutcome test::runWithContext(const Machine &machine,
                                    const std::string &text,
                                    const std::string &entry,
                                    std::vector<SessionArgument> arguments) {
  return expectOk(run(machine, text, entry, std::move(arguments), {}, true));
}

uint64_t test::coreCount(const SessionOutcome &outcome,
                         const std::string &name) {
  const llvm::json::Object *core = outcome.statistics.getObject("core");
  return core ? core->getInteger(name).value_or(0) : 0;
}

std::string test::loop(const std::string &parameters,
                       const std::vector<Carried> &carried,
                       const std::string &body) {
  std::string text = "define i64 @f(i64 %n" +
                     (parameters.empty() ? "" : ", " + parameters) +
                     ") {\nentry:\n  br label %loop\nloop:\n"
                     "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n";
  for (const Carried &c : carried)
    text += "  " + c.name + " = phi " + c.type + " [ " + c.start +
            ", %entry ], [ " + c.next + ", %loop ]\n";
  text += body;
  text += "  %next = add i64 %i, 1\n"
          "  %more = icmp ult i64 %next, %n\n"
          "  br i1 %more, label %loop, label %exit\n"
          "exit:\n  ret i64 %next\n}\n";
  return text;
}
