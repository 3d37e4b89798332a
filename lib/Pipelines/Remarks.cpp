//===- Remarks.cpp - What passes say of their choices ---------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"

#include "Faults.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace {

class LineStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit LineStreamer(std::vector<std::string> &lines) : lines(lines) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string place = ember::describeLocation(remark.getLocation());
    std::string text;
    for (const remark::detail::Remark::Arg &part : remark.getArgs())
      text += part.val;
    lines.push_back((place.empty() ? "" : place + ": ") + "remark: " + text);
  }

private:
  std::vector<std::string> &lines;
};

} // namespace

void ember::collectRemarks(MLIRContext &context,
                           std::vector<std::string> &lines) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.failed =
      categories.analysis = ".*";
  // A context that has no remarks yet takes them.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<LineStreamer>(lines),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
