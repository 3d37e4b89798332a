//===- Faults.cpp - From a fault's numbers to the user's error ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace ember {

std::string describeLocation(LocationAttr location) {
  std::string text;
  Location(location)->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

namespace {

/// "; allowed are 0 to 9".
std::string allowedRows(int64_t limit) {
  if (limit <= 0)
    return "; the table has no rows";
  return "; allowed are 0 to " + std::to_string(limit - 1);
}

std::string what(dlc::FaultKind kind, StringRef argument, int64_t position,
                 int64_t value, int64_t limit) {
  std::string name = ("argument '" + argument + "'").str();
  std::string at = " holds " + std::to_string(value) + " at position " +
                   std::to_string(position);
  std::string limitText = std::to_string(limit);
  switch (kind) {
  case dlc::FaultKind::IndexOutOfRange:
    // A value that is in range itself has been computed with.
    if (value >= 0 && value < limit)
      return "index out of range: " + name + at +
             ", and the index computed from it is outside" + allowedRows(limit);
    return "index out of range: " + name + at + allowedRows(limit);
  case dlc::FaultKind::SubscriptOutOfRange:
    return "index out of range: dimension " + std::to_string(position) +
           " of " + name + " is indexed with " + std::to_string(value) +
           (limit > 0 ? allowedRows(limit) : "; it has no elements");
  case dlc::FaultKind::OffsetNotZero:
    return "offsets must start at 0: " + name + at;
  case dlc::FaultKind::OffsetDecreasing:
    return "offsets must not decrease: " + name + at + ", after " + limitText;
  case dlc::FaultKind::OffsetBeyondIndices:
    return "offset beyond the indices: " + name + at + ", but there are " +
           limitText + " indices";
  case dlc::FaultKind::OffsetsEmpty:
    return "offsets are missing: " + name + " is empty; at least " + limitText +
           " is needed";
  case dlc::FaultKind::OffsetsEndEarly:
    return "offsets must end at the number of indices: " + name +
           " ends with " + std::to_string(value) + " at position " +
           std::to_string(position) + ", but there are " + limitText +
           " indices";
  case dlc::FaultKind::SegmentDecreasing:
    return "segment ids must not decrease: " + name + at + ", after " +
           limitText;
  case dlc::FaultKind::SegmentNegative:
    return "segment ids must not be negative: " + name + at;
  case dlc::FaultKind::SegmentBeyondCount:
    return "segment id beyond the number of segments: " + name + at +
           ", but there are " + limitText + " segments";
  case dlc::FaultKind::SegmentCountNegative:
    return "the number of segments must not be negative: " + name + " is " +
           std::to_string(value);
  case dlc::FaultKind::PaddingOutOfRange:
    return "padding_idx is out of range: it is " + std::to_string(value) +
           (limit > 0 ? "; allowed are -" + limitText + " to " +
                            std::to_string(limit - 1)
                      : "; the table has no rows");
  case dlc::FaultKind::LoopStep:
    return ("loop steps must be positive: the step of the loop" +
            (argument.empty() ? "" : " '" + argument + "'") + " is " +
            Twine(value))
        .str();
  case dlc::FaultKind::NegativeSize:
    return "sizes must not be negative: dimension " + std::to_string(position) +
           " of a buffer is to be " + std::to_string(value);
  case dlc::FaultKind::ShapeMismatch:
    return "shapes do not fit: dimension " + std::to_string(position) + " of " +
           name + " is " + std::to_string(value) + "; expected " + limitText;
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace

FaultSites::FaultSites(ModuleOp split) {
  if (auto host = split.lookupSymbol<ModuleOp>("host"))
    code = readTable(host);
  auto access = split.lookupSymbol<ModuleOp>("access");
  if (!access)
    return;
  for (auto function : access.getOps<func::FuncOp>())
    if (!function.isExternal())
      programs.push_back(readTable(function));
}

std::vector<FaultSites::Site> FaultSites::readTable(Operation *owner) {
  std::vector<Site> sites;
  auto table = owner->getAttrOfType<ArrayAttr>(dlc::SiteAttr::tableName);
  if (!table)
    return sites;
  for (Attribute attribute : table) {
    // A hand-written module may hold anything here.
    auto site = dyn_cast<dlc::SiteAttr>(attribute);
    if (!site)
      return {};
    sites.push_back({site.getKind(), site.getFunction().str(),
                     site.getArgument().str(),
                     describeLocation(site.getLocation())});
  }
  return sites;
}

std::unique_ptr<EmberError>
FaultSites::describe(const sim::SessionFault &fault) const {
  Site site = {dlc::FaultKind::IndexOutOfRange, "", "", ""};
  int64_t position = fault.position;
  if (fault.site >= 0) {
    if (size_t(fault.site) < code.size())
      site = code[fault.site];
  } else if (fault.kernel >= 0 && size_t(fault.kernel) < programs.size()) {
    const std::vector<Site> &operations = programs[fault.kernel];
    if (size_t(fault.operation) < operations.size())
      site = operations[fault.operation];
    // The bad value is the argument's that it was loaded from.
    if (fault.source >= 0 && size_t(fault.source) < operations.size()) {
      site.argument = operations[fault.source].argument;
    } else if (site.kind == dlc::FaultKind::IndexOutOfRange) {
      site.kind = dlc::FaultKind::SubscriptOutOfRange;
      position = fault.dimension;
    }
  }

  bool isIndex = site.kind == dlc::FaultKind::IndexOutOfRange ||
                 site.kind == dlc::FaultKind::SubscriptOutOfRange;
  EmberError::Kind kind = isIndex ? EmberError::Kind::IndexOutOfRange
                                  : EmberError::Kind::ArgumentValue;
  std::string message =
      what(site.kind, site.argument, position, fault.value, fault.limit) +
      " (function '" + site.function + "'" +
      (site.location.empty() ? "" : " at " + site.location) + ")";
  auto error = std::make_unique<EmberError>(kind, "run", message);
  // Loops and buffers are no arguments.
  if (site.kind != dlc::FaultKind::LoopStep &&
      site.kind != dlc::FaultKind::NegativeSize)
    error->argument = site.argument;
  error->position = position;
  error->value = fault.value;
  error->limit = fault.limit;
  return error;
}

} // namespace ember
