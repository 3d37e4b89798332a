//===- ExpandHalfTest.cpp - Tests of f16 by integer operations ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Optimize.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace llvm;
using namespace ember;

namespace {

constexpr const char *code = R"(
define float @widen(i16 %bits) {
  %half = bitcast i16 %bits to half
  %wide = fpext half %half to float
  ret float %wide
}
define i16 @narrow(float %wide) {
  %half = fptrunc float %wide to half
  %bits = bitcast half %half to i16
  ret i16 %bits
}
)";

/// The code above, optimised for a core that cannot convert f16.
class ExpandHalf : public testing::Test {
protected:
  void SetUp() override {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    jit = cantFail(orc::LLJITBuilder().create());
    if (!jit->getTargetTriple().isX86_64())
      GTEST_SKIP() << "every other host has the instructions";
    auto context = std::make_unique<LLVMContext>();
    SMDiagnostic problem;
    std::unique_ptr<Module> module =
        parseAssemblyString(code, problem, *context);
    ASSERT_TRUE(module) << problem.getMessage().str();
    CoreTarget core;
    core.cpu = "x86-64";
    core.features = "";
    ASSERT_FALSE(errorToBool(optimizeForCore(*module, core)));
    module->setDataLayout(jit->getDataLayout());
    cantFail(jit->addIRModule({std::move(module), std::move(context)}));
    widen = cantFail(jit->lookup("widen")).toPtr<float (*)(uint16_t)>();
    narrow = cantFail(jit->lookup("narrow")).toPtr<uint16_t (*)(float)>();
  }

  void checkNarrow(float value) {
    APFloat exact(value);
    bool loses;
    exact.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
    EXPECT_EQ(narrow(value), exact.bitcastToAPInt().getZExtValue()) << value;
  }

  std::unique_ptr<orc::LLJIT> jit;
  float (*widen)(uint16_t) = nullptr;
  uint16_t (*narrow)(float) = nullptr;
};

float exactly(uint16_t bits) {
  return APFloat(APFloat::IEEEhalf(), APInt(16, bits)).convertToFloat();
}

TEST_F(ExpandHalf, WidensEveryValue) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    float value = widen(bits), expected = exactly(bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value)) << bits;
    else
      EXPECT_EQ(bit_cast<uint32_t>(value), bit_cast<uint32_t>(expected))
          << bits;
  }
}

// Every f16, and the f32 between each two: exactly half way, and on either
// side.
TEST_F(ExpandHalf, NarrowsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    float value = exactly(bits);
    // What would follow the largest, 65504, is where infinity begins.
    float next = bits == 0x7bff ? 65536.0f : exactly(bits + 1);
    float between = value + (next - value) / 2;
    for (float f :
         {value, std::nextafter(value, next), std::nextafter(between, value),
          between, std::nextafter(between, next)}) {
      checkNarrow(f);
      checkNarrow(-f);
    }
  }
}

TEST_F(ExpandHalf, NarrowsWhatIsTooLargeOrSmall) {
  float largest = std::numeric_limits<float>::max();
  float smallest = std::numeric_limits<float>::denorm_min();
  float infinity = std::numeric_limits<float>::infinity();
  for (float f : {65536.0f, 1e6f, largest, infinity, smallest, 1e-30f}) {
    checkNarrow(f);
    checkNarrow(-f);
  }
  uint16_t bits = narrow(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(std::isnan(exactly(bits)));
}

} // namespace
