//===- SessionTest.cpp - Results, errors and reproducibility --------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

std::string print(llvm::json::Object statistics) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(statistics));
  return text;
}

void expectError(llvm::Expected<SessionOutcome> outcome,
                 std::initializer_list<const char *> parts) {
  ASSERT_FALSE(bool(outcome));
  std::string message = llvm::toString(outcome.takeError());
  for (const char *part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

const std::string kSum = loop("ptr %p", {{"float", "0.0", "%a", "%s"}},
                              "  %q = getelementptr float, ptr %p, i64 %i\n"
                              "  %x = load float, ptr %q\n"
                              "  %s = fadd float %a, %x\n");

TEST(SessionTest, LoadBeyondAnArgumentIsAnError) {
  std::vector<float> values(100);
  expectError(run(machine(), kSum, "f",
                  {scalar(uint64_t(101)), array("table", values)}),
              {"function 'f' reads 4 bytes at offset 400 of 'table', which has "
               "400 bytes",
               "load float"});
}

TEST(SessionTest, ErrorsNameTheUsersFunctionAndItsSource) {
  std::string text =
      "define void @bag_execute(i64 %n, ptr %p) \"ember-function\"=\"bag\" "
      "!dbg !2 {\n"
      "  %x = load volatile i64, ptr inttoptr (i64 4096 to ptr), !dbg !3\n"
      "  ret void\n"
      "}\n"
      "!llvm.module.flags = !{!4}\n"
      "!llvm.dbg.cu = !{!0}\n"
      "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)\n"
      "!1 = !DIFile(filename: \"bag.mlir\", directory: \"models\")\n"
      "!2 = distinct !DISubprogram(name: \"bag\", file: !1, unit: !0)\n"
      "!3 = !DILocation(line: 7, column: 3, scope: !2)\n"
      "!4 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
  std::vector<int64_t> cell(1);
  expectError(run(machine(), text, "bag_execute",
                  {scalar(uint64_t(1)), array("cell", cell)}),
              {"function 'bag' reads 8 bytes", ", at models/bag.mlir:7:3"});
}

TEST(SessionTest, StoreToAReadOnlyArgumentIsAnError) {
  std::vector<float> values(10);
  std::string text = loop("ptr %p", {}, "  store float 1.0, ptr %p\n");
  expectError(
      run(machine(), text, "f", {scalar(uint64_t(1)), array("table", values)}),
      {"function 'f' writes 'table', which is read-only"});
  EXPECT_EQ(values[0], 0.0f);
}

TEST(SessionTest, WildPointersAreErrorsNotCrashes) {
  std::vector<int64_t> cell(1);
  std::string text = loop("ptr %p", {},
                          "  %q = inttoptr i64 12345 to ptr\n"
                          "  %x = load i64, ptr %q\n");
  expectError(
      run(machine(), text, "f", {scalar(uint64_t(1)), array("cell", cell)}),
      {"function 'f' reads 8 bytes"});
}

TEST(SessionTest, DivisionsThatTrapAreErrors) {
  std::vector<int64_t> cells = {0, -1, INT64_MIN, 7};
  auto divide = [](const char *opcode, int from, int by) {
    auto load = [](const char *name, int cell) {
      return "  %" + std::string(name) + "p = getelementptr i64, ptr %p, i64 " +
             std::to_string(cell) + "\n  %" + name + " = load i64, ptr %" +
             name + "p\n";
    };
    return loop("ptr %p", {},
                load("a", from) + load("b", by) + "  %q = " + opcode +
                    " i64 %a, %b\n");
  };
  std::vector<SessionArgument> arguments = {scalar(uint64_t(1)),
                                            array("cells", cells)};
  for (const char *opcode : {"sdiv", "srem", "udiv", "urem"}) {
    expectError(run(machine(), divide(opcode, 3, 0), "f", arguments),
                {"function 'f' divides by zero", opcode});
    EXPECT_TRUE(bool(run(machine(), divide(opcode, 3, 1), "f", arguments)));
  }
  expectError(run(machine(), divide("sdiv", 2, 1), "f", arguments),
              {"the least integer by -1"});
}

TEST(SessionTest, WhatCannotBeTimedIsAnError) {
  expectError(run(machine(),
                  "declare double @exp(double)\n"
                  "define double @f(double %x) {\n"
                  "  %y = call double @exp(double %x)\n"
                  "  ret double %y\n}\n",
                  "f", {scalar(1.0)}),
              {"cannot time function 'f'", "@exp"});
  expectError(run(machine(),
                  "define void @f() {\n  call void @f()\n"
                  "  ret void\n}\n",
                  "f", {}),
              {"it calls itself"});
  expectError(run(machine(), "define void @g() {\n  ret void\n}\n", "f", {}),
              {"does not define 'f'"});
}

TEST(SessionTest, CycleLimitIsAnError) {
  std::vector<float> values(1000);
  SessionOptions options;
  options.cycleLimit = 500;
  expectError(run(machine(), kSum, "f",
                  {scalar(uint64_t(1000)), array("table", values)}, options),
              {"limit of 500 cycles", "core:"});
}

TEST(SessionTest, CyclesDoNotDependOnWhereArraysAre) {
  std::vector<std::string> seen;
  for (size_t shift : {0, 3, 1000, 77777}) {
    std::vector<float> memory(100000 + shift, 1.0f);
    SessionArgument table;
    table.name = "table";
    table.data = memory.data() + shift;
    table.bytes = 20000 * sizeof(float);
    std::vector<char> noise(shift * 3); // moves the heap
    SessionOutcome outcome =
        runOk(machine(), kSum, "f", {scalar(uint64_t(20000)), table});
    seen.push_back(print(std::move(outcome.statistics)));
  }
  for (const std::string &statistics : seen)
    EXPECT_EQ(statistics, seen.front());
}

TEST(SessionTest, OverlappingArgumentsAreOneArray) {
  std::vector<float> memory(300, 2.0f);
  auto slice = [&](const char *name, size_t from, size_t count) {
    SessionArgument argument;
    argument.name = name;
    argument.data = memory.data() + from;
    argument.bytes = count * sizeof(float);
    return argument;
  };
  std::string text = loop("ptr %p, ptr %q, ptr %r", {},
                          "  %a = load float, ptr %p\n"
                          "  %b = load float, ptr %q\n"
                          "  %c = load float, ptr %r\n");
  EXPECT_TRUE(bool(run(machine(), text, "f",
                       {scalar(uint64_t(1)), slice("a", 0, 100),
                        slice("b", 200, 100), slice("c", 50, 200)})));
}

TEST(SessionTest, BulkCopiesAndFillsAreExact) {
  const char *const text = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @copy(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}
define void @fixed(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 199, i1 false)
  ret void
}
define void @move(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}
define void @fill(ptr %to, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %to, i8 -85, i64 %n, i1 false)
  ret void
}
)";
  std::vector<uint8_t> from(1024);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = uint8_t(i * 7 + 1);
  auto expectPrefix = [&](const std::vector<uint8_t> &to, size_t n, auto byte) {
    for (size_t i = 0; i < to.size(); ++i)
      ASSERT_EQ(to[i], i < n ? byte(i) : 0) << "byte " << i << " of " << n;
  };
  for (uint64_t n : {0, 1, 63, 64, 65, 127, 199, 1000}) {
    std::vector<uint8_t> copied(1024), moved(1024), filled(1024);
    runOk(machine(), text, "copy",
          {array("to", copied, true), array("from", from), scalar(n)});
    expectPrefix(copied, n, [&](size_t i) { return from[i]; });
    runOk(machine(), text, "move",
          {array("to", moved, true), array("from", from), scalar(n)});
    expectPrefix(moved, n, [&](size_t i) { return from[i]; });
    runOk(machine(), text, "fill", {array("to", filled, true), scalar(n)});
    expectPrefix(filled, n, [&](size_t) { return 0xab; });
  }
  std::vector<uint8_t> fixed(1024);
  runOk(machine(), text, "fixed",
        {array("to", fixed, true), array("from", from)});
  expectPrefix(fixed, 199, [&](size_t i) { return from[i]; });
}

TEST(SessionTest, MaskedAccessesTouchOnlyTheirLanes) {
  const char *const text = R"(
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, <16 x i1>)
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, <16 x i1>, <16 x float>)
define void @f(ptr %from, ptr %to, i16 %bits) {
  %mask = bitcast i16 %bits to <16 x i1>
  %x = call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 %from, <16 x i1> %mask, <16 x float> zeroinitializer)
  call void @llvm.masked.store.v16f32.p0(<16 x float> %x, ptr align 4 %to, <16 x i1> %mask)
  ret void
}
define void @gather(ptr %from, ptr %to, <16 x i1> %mask, <16 x i32> %at) {
  %p = getelementptr float, ptr %from, <16 x i32> %at
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %mask, <16 x float> zeroinitializer)
  store <16 x float> %x, ptr %to
  ret void
}
define void @g(ptr %from, ptr %to, i16 %bits, i32 %step) {
  %mask = bitcast i16 %bits to <16 x i1>
  %one = insertelement <16 x i32> poison, i32 %step, i64 0
  %all = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
  %at = mul <16 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  call void @gather(ptr %from, ptr %to, <16 x i1> %mask, <16 x i32> %at)
  ret void
}
)";
  // Only elements 3 .. 5 exist.
  std::vector<float> few = {30, 40, 50}, to(16);
  SessionArgument holder = array("few", few);
  auto address = reinterpret_cast<uint64_t>(few.data() - 3);
  std::string wrapped = std::string(text) +
                        "define void @h(ptr %few, ptr %from, ptr %to, i16 %b) "
                        "{\n  call void @f(ptr %from, ptr %to, i16 %b)\n"
                        "  ret void\n}\n";
  runOk(machine(), wrapped, "h",
        {holder, scalar(address), array("to", to, true),
         scalar(uint16_t(0b101000))});
  EXPECT_EQ(to[3], 30);
  EXPECT_EQ(to[4], 0);
  EXPECT_EQ(to[5], 50);
  expectError(run(machine(), wrapped, "h",
                  {holder, scalar(address), array("to", to, true),
                   scalar(uint16_t(0b1101000))}),
              {"of 'few'"});

  std::vector<float> table(150, 0.0f), gathered(16);
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = float(i);
  runOk(machine(), text, "g",
        {array("table", table), array("to", gathered, true),
         scalar(uint16_t(0x7fff)), scalar(int32_t(10))});
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(gathered[i], i < 15 ? i * 10 : 0);
}

TEST(SessionTest, StackVariablesAndAllocationsAreMemory) {
  const char *const text = R"(
declare ptr @_mlir_memref_to_llvm_aligned_alloc(i64, i64)
declare void @_mlir_memref_to_llvm_free(ptr)
define i64 @f(i64 %x) {
  %a = alloca i64
  store i64 %x, ptr %a
  %h = call ptr @_mlir_memref_to_llvm_aligned_alloc(i64 64, i64 16)
  %v = load i64, ptr %a
  %w = add i64 %v, 1
  store i64 %w, ptr %h
  %r = load i64, ptr %h
  call void @_mlir_memref_to_llvm_free(ptr %h)
  ret i64 %r
}
define i64 @late(i64 %x) {
  %h = call ptr @_mlir_memref_to_llvm_aligned_alloc(i64 64, i64 16)
  store i64 %x, ptr %h
  call void @_mlir_memref_to_llvm_free(ptr %h)
  %r = load i64, ptr %h
  ret i64 %r
}
)";
  EXPECT_EQ(runOk(machine(), text, "f", {scalar(int64_t(41))}).returned, 42u);
  expectError(run(machine(), text, "late", {scalar(int64_t(1))}),
              {"function 'late' uses 'heap 0' after it was freed"});
}

TEST(SessionTest, CallsReturnTheirValues) {
  const char *const text = R"(
define i64 @square(i64 %x) {
  %y = mul i64 %x, %x
  ret i64 %y
}
define i64 @f(i64 %a, i64 %b) {
  %x = call i64 @square(i64 %a)
  %y = call i64 @square(i64 %b)
  %z = add i64 %x, %y
  ret i64 %z
}
)";
  EXPECT_EQ(
      runOk(machine(), text, "f", {scalar(int64_t(3)), scalar(int64_t(4))})
          .returned,
      25u);
}

TEST(SessionTest, HostFaultsAreReportedOnce) {
  const char *const text = R"(
declare void @ember_fault(ptr, i32, i64, i64, i64)
define void @f(ptr %context) {
  call void @ember_fault(ptr %context, i32 3, i64 10, i64 -1, i64 100)
  call void @ember_fault(ptr %context, i32 4, i64 0, i64 0, i64 0)
  ret void
}
)";
  auto outcome = runWithContext(machine(), text, "f", {});
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->site, 3);
  EXPECT_EQ(outcome.fault->position, 10);
  EXPECT_EQ(outcome.fault->value, -1);
  EXPECT_EQ(outcome.fault->limit, 100);
}

} // namespace
