//===- Machine.cpp - Reading and writing machine files --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Machine.h"
#include "MachineFields.h"
#include "ShippedMachines.h"
#include "ember/Simulator/Dram.h"
#include "ember/Target/CoreTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ember::sim;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static std::string show(const json::Value &value) {
  return llvm::formatv("{0}", value).str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Fills a machine from a JSON object, and keeps the first error: the key's
/// path, what it holds and what is allowed.
class Reader {
public:
  Reader(const json::Object &object, std::string path,
         llvm::ArrayRef<StringRef> alsoKnown = {})
      : object(object), path(std::move(path)),
        known(alsoKnown.begin(), alsoKnown.end()) {}

  template <typename Number>
  void number(StringRef key, Number &value, Limits limits) {
    const json::Value *found = find(key);
    if (!found)
      return missing(key, allowed(limits));
    std::optional<uint64_t> integer = found->getAsUINT64();
    if (!integer || *integer < limits.min || *integer > limits.max ||
        (limits.powerOfTwo && !llvm::isPowerOf2_64(*integer)))
      return wrong(key, *found, allowed(limits));
    value = static_cast<Number>(*integer);
  }

  void flag(StringRef key, bool &value) {
    if (const json::Value *found = expect(key, "true or false")) {
      if (std::optional<bool> boolean = found->getAsBoolean())
        value = *boolean;
      else
        wrong(key, *found, "true or false");
    }
  }

  void text(StringRef key, std::string &value) {
    if (const json::Value *found = expect(key, "a string")) {
      if (std::optional<StringRef> string = found->getAsString())
        value = string->str();
      else
        wrong(key, *found, "a string");
    }
  }

  void list(StringRef key, std::vector<std::string> &values) {
    const json::Value *found = expect(key, "an array of strings");
    if (!found)
      return;
    values.clear();
    const json::Array *array = found->getAsArray();
    if (!array)
      return wrong(key, *found, "an array of strings");
    for (const json::Value &element : *array) {
      if (!element.getAsString())
        return wrong(key, *found, "an array of strings");
      values.push_back(element.getAsString()->str());
    }
  }

  template <typename Part>
  void section(StringRef key, Part &part) {
    if (const json::Value *found = expect(key, "an object"))
      readSection(key, *found, part);
  }

  template <typename Part>
  void optionalSection(StringRef key, std::optional<Part> &part) {
    const json::Value *found = find(key);
    part.reset();
    if (found && found->kind() != json::Value::Null)
      readSection(key, *found, part.emplace());
  }

  void standard(StringRef key, std::string &name, DramStandard &timings) {
    text(key, name);
    if (!error.empty())
      return;
    if (const DramStandard *known = findDramStandard(name)) {
      timings = *known;
      return;
    }
    std::vector<std::string> names;
    for (const DramStandard &standard : dramStandards())
      names.push_back(standard.name);
    wrong(key, *find(key), "one of " + llvm::join(names, ", "));
  }

  void defaultedSection(StringRef key, DramStandard &part) {
    const json::Value *found = find(key);
    if (!found || !error.empty())
      return;
    const json::Object *changes = found->getAsObject();
    if (!changes)
      return wrong(key, *found, "an object");
    // What the section leaves out stays as the standard has it.
    json::Object complete = writeFields(part);
    for (const auto &[name, value] : *changes)
      complete[name] = value;
    readSection(key, json::Value(std::move(complete)), part);
  }

  /// Reads everything; the first error, or "".
  template <typename Part>
  std::string read(Part &part) {
    visitFields(*this, part);
    if (!error.empty())
      return error;
    for (const auto &[key, value] : object)
      if (!llvm::is_contained(known, StringRef(key)))
        return where(key) + ": unknown key; " +
               (path.empty() ? "the file" : "'" + path + "'") + " may hold " +
               llvm::join(known, ", ");
    return "";
  }

private:
  static json::Object writeFields(DramStandard &part);

  std::string where(StringRef key) const {
    return path.empty() ? key.str() : path + "." + key.str();
  }

  static std::string allowed(const Limits &limits) {
    return llvm::formatv("a {0} from {1} to {2} ({3})",
                         limits.powerOfTwo ? "power of two" : "whole number",
                         limits.min, limits.max, limits.unit)
        .str();
  }

  const json::Value *find(StringRef key) {
    known.push_back(key);
    return object.get(key);
  }

  const json::Value *expect(StringRef key, StringRef what) {
    const json::Value *found = find(key);
    if (!found)
      missing(key, what);
    return found;
  }

  void missing(StringRef key, const Twine &what) {
    if (error.empty())
      error = (where(key) + ": missing; expected " + what).str();
  }

  void wrong(StringRef key, const json::Value &value, const Twine &what) {
    if (error.empty())
      error = (where(key) + ": " + show(value) + " is not allowed; expected " +
               what)
                  .str();
  }

  template <typename Part>
  void readSection(StringRef key, const json::Value &value, Part &part) {
    if (!error.empty())
      return;
    const json::Object *inner = value.getAsObject();
    if (!inner)
      return wrong(key, value, "an object");
    error = Reader(*inner, where(key)).read(part);
  }

  const json::Object &object;
  std::string path;
  std::vector<StringRef> known;
  std::string error;
};

/// Writes a machine as JSON.
class Writer {
public:
  json::Object object;

  template <typename Number>
  void number(StringRef key, Number &value, Limits) {
    object[key] = uint64_t(value);
  }
  void flag(StringRef key, bool &value) { object[key] = value; }
  void text(StringRef key, std::string &value) { object[key] = value; }
  void list(StringRef key, std::vector<std::string> &values) {
    object[key] = json::Array(values);
  }
  template <typename Part>
  void section(StringRef key, Part &part) {
    Writer inner;
    visitFields(inner, part);
    object[key] = std::move(inner.object);
  }
  template <typename Part>
  void optionalSection(StringRef key, std::optional<Part> &part) {
    if (part)
      section(key, *part);
    else
      object[key] = nullptr;
  }
  void standard(StringRef key, std::string &name, DramStandard &) {
    object[key] = name;
  }
  void defaultedSection(StringRef key, DramStandard &part) {
    section(key, part);
  }
};

json::Object Reader::writeFields(DramStandard &part) {
  Writer writer;
  visitFields(writer, part);
  return std::move(writer.object);
}

} // namespace

json::Value Machine::toJSON() const {
  Writer writer;
  visitFields(writer, const_cast<Machine &>(*this));
  json::Object origins;
  for (const auto &[path, source] : sources)
    origins[path] = source;
  writer.object["sources"] = std::move(origins);
  return std::move(writer.object);
}

//===----------------------------------------------------------------------===//
// What one field alone cannot tell
//===----------------------------------------------------------------------===//

static std::string checkCache(StringRef path, const CacheParams &cache) {
  uint64_t lines = cache.sizeBytes / lineBytes;
  if (cache.sizeBytes % (uint64_t(lineBytes) * cache.ways) ||
      !llvm::isPowerOf2_64(lines / cache.ways))
    return llvm::formatv("{0}.size_bytes: {1} bytes in {2} ways are not a "
                         "power of two of sets of 64-byte lines",
                         path, cache.sizeBytes, cache.ways);
  return "";
}

static std::string check(const Machine &machine) {
  const CoreParams &core = machine.core;
  if (Error error = ember::checkCore({core.triple, core.cpu, core.features}))
    return "core." + llvm::toString(std::move(error));
  const CachesParams &caches = machine.caches;
  for (auto [path, cache] : {std::pair("caches.l1d", &caches.l1d),
                             std::pair("caches.l2", &caches.l2),
                             std::pair("caches.llc", &caches.llc)})
    if (std::string error = checkCache(path, *cache); !error.empty())
      return error;
  const MemoryParams &memory = machine.memory;
  if (memory.drainHigh > memory.writeQueue)
    return llvm::formatv("memory.drain_high: {0} writes never wait in a "
                         "write_queue of {1}",
                         memory.drainHigh, memory.writeQueue);
  if (memory.drainLow >= memory.drainHigh)
    return llvm::formatv("memory.drain_low: {0} must be below drain_high ({1})",
                         memory.drainLow, memory.drainHigh);
  const DramStandard &timings = memory.timings;
  if (memory.refresh &&
      timings.nREFI <= timings.nRFC + timings.nRP + timings.nRC)
    return llvm::formatv("memory.timings.refi: a refresh of {0} clocks every "
                         "{1} leaves no time for accesses",
                         timings.nRFC, timings.nREFI);
  if (std::string error = DramMapping::check(memory); !error.empty())
    return "memory.mapping: " + error;
  return "";
}

//===----------------------------------------------------------------------===//
// Files, names and overrides
//===----------------------------------------------------------------------===//

static Error failure(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::vector<std::string> Machine::shipped() {
  std::vector<std::string> names;
  for (unsigned i = 0; i < numShippedMachines; ++i)
    names.push_back(shippedMachines[i].name);
  return names;
}

static const char *findShipped(StringRef name) {
  for (unsigned i = 0; i < numShippedMachines; ++i)
    if (name == shippedMachines[i].name)
      return shippedMachines[i].text;
  return nullptr;
}

/// Lays `changes` over `base`: objects merge, anything else replaces, null
/// stays null (a part the machine does not have).
static void merge(json::Object &base, json::Object &&changes) {
  for (auto &[key, value] : changes) {
    json::Object *inner = value.getAsObject();
    json::Object *below = base.getObject(key);
    if (inner && below)
      merge(*below, std::move(*inner));
    else
      base[key] = std::move(value);
  }
}

/// Parses a file and what it extends.
static Expected<json::Object> parseObject(StringRef text, StringRef origin,
                                          unsigned depth = 0) {
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return failure(origin + ": " + llvm::toString(parsed.takeError()));
  json::Object *object = parsed->getAsObject();
  if (!object)
    return failure(origin + ": a machine file holds one JSON object");
  const json::Value *extends = object->get("extends");
  if (!extends)
    return std::move(*object);
  const char *base =
      extends->getAsString() ? findShipped(*extends->getAsString()) : nullptr;
  if (!base || depth > 8)
    return failure(origin + ": extends: " + show(*extends) +
                   " is not allowed; expected one of " +
                   llvm::join(Machine::shipped(), ", "));
  Expected<json::Object> below =
      parseObject(base, *extends->getAsString(), depth + 1);
  if (!below)
    return below.takeError();
  object->erase("extends");
  merge(*below, std::move(*object));
  return below;
}

/// Applies "key.path=value": JSON if it reads as such, else a string.
static Error applyOverride(json::Object &root, StringRef text) {
  auto [path, value] = text.split('=');
  if (!text.contains('=') || path.empty())
    return failure("--set " + text + ": expected key.path=value");
  json::Object *object = &root;
  StringRef rest = path;
  while (rest.contains('.')) {
    auto [key, after] = rest.split('.');
    json::Value &inner = object->try_emplace(key, json::Object()).first->second;
    if (inner.kind() == json::Value::Null)
      return failure("--set " + text + ": this machine has no '" + key + "'");
    object = inner.getAsObject();
    if (!object)
      return failure("--set " + text + ": '" + key +
                     "' has no keys of its own");
    rest = after;
  }
  Expected<json::Value> parsed = json::parse(value);
  if (parsed) {
    (*object)[rest] = std::move(*parsed);
  } else {
    llvm::consumeError(parsed.takeError());
    (*object)[rest] = value.str();
  }
  return Error::success();
}

/// Reads "sources", an object of key path to text.
static Error readSources(json::Object &root, Machine &machine,
                         StringRef origin) {
  const json::Value *value = root.get("sources");
  if (!value)
    return Error::success();
  const json::Object *object = value->getAsObject();
  if (!object)
    return failure(origin +
                   ": sources: expected an object of key path to text");
  for (const auto &[path, source] : *object) {
    if (!source.getAsString())
      return failure(origin + ": sources." + path.str() +
                     ": expected a string");
    const json::Object *inside = &root;
    StringRef rest = path;
    while (inside && rest.contains('.')) {
      inside = inside->getObject(rest.split('.').first);
      rest = rest.split('.').second;
    }
    // What a derived machine drops may keep its source in the file below.
    bool dropped = path.str().rfind("access_unit", 0) == 0;
    if (!dropped && (!inside || !inside->get(rest)))
      return failure(origin + ": sources." + path.str() +
                     ": there is no such key");
    machine.sources.emplace_back(path.str(), source.getAsString()->str());
  }
  llvm::sort(machine.sources);
  return Error::success();
}

Expected<Machine> Machine::parse(StringRef text, StringRef origin,
                                 llvm::ArrayRef<std::string> overrides) {
  Expected<json::Object> root = parseObject(text, origin);
  if (!root)
    return root.takeError();
  for (const std::string &override : overrides)
    if (Error error = applyOverride(*root, override))
      return error;
  Machine machine;
  std::string error = Reader(*root, "", {"extends", "sources"}).read(machine);
  if (error.empty())
    error = check(machine);
  if (!error.empty())
    return failure(origin + ": " + error);
  if (Error sourceError = readSources(*root, machine, origin))
    return sourceError;
  return machine;
}

Expected<Machine> Machine::load(StringRef nameOrPath,
                                llvm::ArrayRef<std::string> overrides) {
  if (const char *text = findShipped(nameOrPath))
    return parse(text, nameOrPath, overrides);
  if (!nameOrPath.contains('/') && !nameOrPath.ends_with(".json"))
    return failure("unknown machine '" + nameOrPath + "'; expected one of " +
                   llvm::join(shipped(), ", ") + ", or a path to a .json file");
  auto buffer = llvm::MemoryBuffer::getFile(nameOrPath);
  if (!buffer)
    return failure("cannot read machine file '" + nameOrPath +
                   "': " + buffer.getError().message());
  return parse((*buffer)->getBuffer(), nameOrPath, overrides);
}
