//===- Report.cpp - Statistics for people ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace {

void row(raw_ostream &os, StringRef name, const Twine &text) {
  os << "  " << left_justify(name, 26) << text << "\n";
}

std::string number(const json::Value &value) {
  std::string text;
  raw_string_ostream os(text);
  if (std::optional<int64_t> integer = value.getAsInteger())
    os << *integer;
  else if (std::optional<double> real = value.getAsNumber())
    os << format("%.2f", *real);
  else
    os << value;
  return text;
}

/// The entries of an object by key: JSON has no order of its own.
std::vector<std::pair<StringRef, const json::Value *>>
sorted(const json::Object &object) {
  std::vector<std::pair<StringRef, const json::Value *>> entries;
  for (const auto &[key, value] : object)
    entries.emplace_back(key, &value);
  llvm::sort(entries, llvm::less_first());
  return entries;
}

/// Shares of the run: each key's cycles and percentage.
void printShares(raw_ostream &os, const json::Object &shares, int64_t cycles) {
  for (auto [name, value] : sorted(shares)) {
    std::optional<int64_t> count = value->getAsInteger();
    if (!count || *count == 0)
      continue;
    std::string text;
    raw_string_ostream(text) << format("%14lld  %5.1f %%", (long long)*count,
                                       cycles ? 100.0 * *count / cycles : 0.0);
    row(os, ("  " + name.str()), text);
  }
}

/// The scalar entries of an object.
void printNumbers(raw_ostream &os, const json::Object &object) {
  for (auto [name, value] : sorted(object))
    if (value->getAsNumber())
      row(os, ("  " + name.str()), number(*value));
}

void printTraffic(raw_ostream &os, const json::Object &arguments) {
  for (auto [name, value] : sorted(arguments)) {
    const json::Object *counts = value->getAsObject();
    if (!counts)
      continue;
    std::string text;
    for (auto [what, count] : sorted(*counts))
      text += (text.empty() ? "" : ", ") + number(*count) + " " + what.str();
    row(os, ("  lines of " + name.str()), text);
  }
}

} // namespace

Error ember::sim::printReport(StringRef statistics, raw_ostream &os) {
  Expected<json::Value> parsed = json::parse(statistics);
  if (!parsed)
    return parsed.takeError();
  const json::Object *root = parsed->getAsObject();
  if (!root)
    return createStringError("the statistics are no JSON object");
  int64_t cycles = root->getInteger("cycles").value_or(0);

  os << "cycles " << cycles << " on "
     << root->getString("machine").value_or("?") << "\n";
  if (const json::Object *parts = root->getObject("parts")) {
    row(os, "parts", "");
    printShares(os, *parts, cycles);
  }
  for (StringRef part : {"core", "access_unit"}) {
    const json::Object *object = root->getObject(part);
    if (!object)
      continue;
    os << part << "\n";
    printNumbers(os, *object);
    if (const json::Object *stack = object->getObject("cycle_stack")) {
      row(os, "cycle stack", "");
      printShares(os, *stack, cycles);
    }
  }
  for (StringRef part : {"l1d", "l2", "llc", "memory"}) {
    const json::Object *object = root->getObject(part);
    if (!object)
      continue;
    os << part << "\n";
    printNumbers(os, *object);
    if (part == "memory")
      if (const json::Object *arguments = object->getObject("arguments"))
        printTraffic(os, *arguments);
  }
  if (const json::Object *queues = root->getObject("queues"))
    for (auto [name, value] : sorted(*queues))
      if (const json::Object *object = value->getAsObject()) {
        os << "queue " << name << "\n";
        printNumbers(os, *object);
      }
  if (const json::Object *bounds = root->getObject("bounds")) {
    os << "bounds, cycles\n";
    printNumbers(os, *bounds);
    if (std::optional<StringRef> binding = bounds->getString("binding"))
      row(os, "  binding", *binding);
  }
  return Error::success();
}
