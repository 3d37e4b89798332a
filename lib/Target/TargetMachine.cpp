//===- TargetMachine.cpp - A core as LLVM's target machine ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TargetMachine.h"

#include "ExpandHalf.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/RISCVISAInfo.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace ember;

/// Makes the code generators known to LLVM, once.
static void initializeTargets() {
  static bool done = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)done;
}

//===----------------------------------------------------------------------===//
// Names that LLVM does not know
//===----------------------------------------------------------------------===//

/// "'sse5' is not allowed; expected a feature that LLVM knows for x86-64, such
/// as 'sse3' (llc -march=x86-64 -mattr=help lists them)".
template <typename Entry>
static Error unknown(StringRef field, StringRef name, StringRef what,
                     ArrayRef<Entry> known, const Target &target,
                     StringRef option) {
  const Entry *nearest =
      llvm::min_element(known, [&](const Entry &a, const Entry &b) {
        return name.edit_distance(a.Key) < name.edit_distance(b.Key);
      });
  std::string example = nearest == known.end()
                            ? ""
                            : ", such as '" + std::string(nearest->Key) + "'";
  return createStringError(
      field + ": '" + name + "' is not allowed; expected " + what +
      " that LLVM knows for " + target.getName() + example +
      " (llc -march=" + target.getName() + " " + option + "=help lists them)");
}

static Error checkNames(StringRef features, const MCSubtargetInfo &generic,
                        const Target &target) {
  if (features.empty())
    return Error::success();
  ArrayRef<SubtargetFeatureKV> known = generic.getAllProcessorFeatures();
  for (StringRef feature : llvm::split(features, ',')) {
    StringRef name = feature;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return createStringError("features: '" + feature +
                               "' is not allowed; expected +name or -name, "
                               "separated by commas");
    if (llvm::none_of(known, [&](auto &entry) { return name == entry.Key; }))
      return unknown("features", name, "a feature", known, target, "-mattr");
    // Not of the core, but of how functions are called.
    if (is_contained(
            {"16bit-mode", "32bit-mode", "64bit-mode", "soft-float", "x32"},
            name))
      return createStringError("features: '" + name +
                               "' is not allowed: it changes the ABI");
  }
  return Error::success();
}

/// Whether the core has 64-bit words, as far as that is a feature.
static bool is64Bit(const MCSubtargetInfo &subtarget) {
  auto mayBe = [&](StringRef name) {
    return llvm::any_of(subtarget.getAllProcessorFeatures(),
                        [&](auto &entry) { return name == entry.Key; });
  };
  return (!mayBe("64bit") || subtarget.checkFeatures("+64bit")) &&
         (!mayBe("32bit") || !subtarget.checkFeatures("+32bit"));
}

Error ember::checkCore(const CoreTarget &core) {
  initializeTargets();
  Triple triple(Triple::normalize(core.triple));
  bool isKnown = triple.getArch() == Triple::x86_64 ||
                 triple.getArch() == Triple::aarch64 ||
                 triple.getArch() == Triple::riscv64;
  std::string message;
  const Target *target =
      isKnown ? TargetRegistry::lookupTarget(triple, message) : nullptr;
  if (!target)
    return createStringError("triple: '" + core.triple +
                             "' is not allowed; expected one of x86_64, "
                             "aarch64 and riscv64, with '-unknown-linux-gnu'");
  auto subtarget = [&](StringRef cpu, StringRef features) {
    return std::unique_ptr<MCSubtargetInfo>(
        target->createMCSubtargetInfo(triple, cpu, features));
  };
  auto generic = subtarget("", "");
  if (!core.cpu.empty() && !generic->isCPUStringValid(core.cpu))
    return unknown("cpu", core.cpu, "a CPU",
                   generic->getAllProcessorDescriptions(), *target, "-mcpu");
  if (Error error = checkNames(core.features, *generic, *target))
    return error;
  if (!core.cpu.empty() && !is64Bit(*subtarget(core.cpu, "")))
    return createStringError("cpu: '" + core.cpu +
                             "' is not allowed; expected a 64-bit CPU");
  if (!is64Bit(*subtarget(core.cpu, core.features)))
    return createStringError("features: '" + core.features +
                             "' is not allowed; expected a 64-bit CPU");
  if (triple.getArch() == Triple::riscv64) {
    // Some extensions exclude each other.
    auto isa = RISCVISAInfo::parseFeatures(
        64, SubtargetFeatures(core.features).getFeatures());
    if (!isa)
      return createStringError(
          "features: '" + core.features +
          "' is not allowed: " + toString(isa.takeError()));
  }
  return Error::success();
}

Expected<std::unique_ptr<TargetMachine>>
ember::createTargetMachine(const CoreTarget &core) {
  if (Error error = checkCore(core))
    return error;
  Triple triple(Triple::normalize(core.triple));
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, core.cpu, core.features, TargetOptions(), Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return createStringError("LLVM has no code generator for '" + core.triple +
                             "'");
  return machine;
}

void ember::setTarget(Module &module, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  expandHalfConversions(module, machine);
}
