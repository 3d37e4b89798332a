//===- AttachTarget.cpp - Tell a module its machine -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     module { ... }
//
// becomes, with machine=dae-hbm2,
//
//     module attributes {dlc.target = #dlc.target<machine = "dae-hbm2",
//         vector_bits = 512, access_unit = true, ...>} { ... }
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Dlc/Transforms/Passes.h"
#include "ember/Simulator/Machine.h"

namespace ember::dlc {
#define GEN_PASS_DEF_EMBERATTACHTARGET
#include "ember/Dialect/Dlc/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

/// What of a machine the compiler may know.
static TargetAttr describe(const sim::Machine &machine, Location loc) {
  // Unused by a machine without access units.
  sim::AccessUnitParams unit =
      machine.accessUnit.value_or(sim::AccessUnitParams());
  auto number = [](uint64_t value) { return static_cast<int64_t>(value); };
  return TargetAttr::getChecked(
      [&] { return emitError(loc); }, loc.getContext(), StringRef(machine.name),
      number(machine.cores), number(machine.core.vectorBits),
      machine.accessUnit.has_value(), number(unit.lanes), number(unit.layers),
      number(unit.storageBytesPerLane), number(machine.queues.dataBytes),
      number(machine.queues.scalarBytes), number(machine.queues.tokenBytes),
      unit.siblingLoops, unit.predicate, unit.store, unit.boundsFault,
      StringRef(machine.core.triple), StringRef(machine.core.cpu),
      StringRef(machine.core.features));
}

namespace {

struct EmberAttachTarget : dlc::impl::EmberAttachTargetBase<EmberAttachTarget> {
  using EmberAttachTargetBase::EmberAttachTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::string> replaced(overrides.begin(), overrides.end());
    llvm::Expected<sim::Machine> loaded = sim::Machine::load(machine, replaced);
    if (!loaded) {
      module.emitError() << llvm::toString(loaded.takeError());
      return signalPassFailure();
    }
    TargetAttr target = describe(*loaded, module.getLoc());
    if (!target)
      return signalPassFailure();
    module->setAttr(TargetAttr::attributeName, target);
  }
};

} // namespace
