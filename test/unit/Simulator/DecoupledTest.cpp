//===- DecoupledTest.cpp - Host, access unit and core together ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A hand-written kernel: out[i] = sum of the 16 floats of row index[i], with
// the rows fetched by the access unit. The code has the shape that the
// compiler gives it.
//
//===----------------------------------------------------------------------===//

#include "SessionTestSupport.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace ember::sim;
using namespace ember::sim::test;

namespace {

const char *const kRowSums = R"(
declare i64 @ember_queue_wait(ptr, ptr, i64)
declare void @ember_au_begin(ptr, i32)
declare void @ember_au_const(ptr, i32, i64)
declare void @ember_au_loop(ptr, i32, i32, i32, i64, i32)
declare void @ember_au_mem(ptr, i32, ptr, i32, i32, i32, i32)
declare void @ember_au_dim(ptr, i32, i64, i64)
declare void @ember_au_push(ptr, i32, i32, i32)
declare void @ember_au_end(ptr)
declare void @ember_au_start(ptr)
declare void @ember_au_wait(ptr)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)

define void @k_access(ptr %ctx, ptr %table, i64 %rows, ptr %index, i64 %n) {
  call void @ember_au_begin(ptr %ctx, i32 7)
  call void @ember_au_const(ptr %ctx, i32 0, i64 0)
  call void @ember_au_const(ptr %ctx, i32 1, i64 %n)
  call void @ember_au_loop(ptr %ctx, i32 2, i32 0, i32 1, i64 1, i32 -1)
  call void @ember_au_mem(ptr %ctx, i32 3, ptr %index, i32 8, i32 0, i32 1, i32 1)
  call void @ember_au_dim(ptr %ctx, i32 2, i64 %n, i64 8)
  call void @ember_au_mem(ptr %ctx, i32 4, ptr %table, i32 4, i32 1, i32 16, i32 16)
  call void @ember_au_dim(ptr %ctx, i32 3, i64 %rows, i64 64)
  call void @ember_au_dim(ptr %ctx, i32 0, i64 16, i64 4)
  call void @ember_au_push(ptr %ctx, i32 0, i32 4, i32 64)
  call void @ember_au_end(ptr %ctx)
  call void @ember_au_start(ptr %ctx)
  ret void
}

define void @k_execute(ptr %ctx, i64 %n, ptr %out) {
entry:
  %queue = load ptr, ptr %ctx
  %consumed.at = getelementptr i8, ptr %queue, i64 64
  %ring = getelementptr i8, ptr %queue, i64 128
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %loop, label %exit
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %ready ]
  %at = phi i64 [ 0, %entry ], [ %end, %ready ]
  %cached = phi i64 [ 0, %entry ], [ %produced, %ready ]
  %end = add i64 %at, 64
  %short = icmp ult i64 %cached, %end
  br i1 %short, label %wait, label %ready
wait:
  %waited = call i64 @ember_queue_wait(ptr %ctx, ptr %queue, i64 %end)
  br label %ready
ready:
  %produced = phi i64 [ %cached, %loop ], [ %waited, %wait ]
  %place = and i64 %at, 16383
  %row.at = getelementptr i8, ptr %ring, i64 %place
  %row = load <16 x float>, ptr %row.at
  %sum = call reassoc float @llvm.vector.reduce.fadd.v16f32(float 0.0, <16 x float> %row)
  %out.at = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %out.at
  store atomic i64 %end, ptr %consumed.at release, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @host(ptr %ctx, ptr %table, i64 %rows, ptr %index, i64 %n, ptr %out) {
  call void @k_access(ptr %ctx, ptr %table, i64 %rows, ptr %index, i64 %n)
  call void @k_execute(ptr %ctx, i64 %n, ptr %out)
  call void @ember_au_wait(ptr %ctx)
  %again = icmp sgt i64 %n, 0
  br i1 %again, label %scribble, label %exit
scribble:
  ; The program may write what the unit has read.
  store i64 -1, ptr %index
  br label %exit
exit:
  ret void
}
)";

constexpr uint64_t kRows = 5000;

struct Sums {
  std::vector<float> out;
  SessionOutcome outcome;
};

Sums rowSums(std::vector<int64_t> index,
             const std::vector<std::string> &overrides = {}) {
  std::vector<float> table(kRows * 16);
  for (uint64_t row = 0; row < kRows; ++row)
    table[row * 16] = float(row);
  Sums run;
  run.out.assign(index.size(), -1);
  auto machine = Machine::load("dae-hbm2", overrides);
  if (!machine) {
    ADD_FAILURE() << llvm::toString(machine.takeError());
    return run;
  }
  run.outcome = runWithContext(
      *machine, kRowSums, "host",
      {array("table", table), scalar(kRows), array("index", index, true),
       scalar(uint64_t(index.size())), array("out", run.out, true)});
  return run;
}

std::vector<int64_t> scattered(size_t count) {
  std::vector<int64_t> index(count);
  for (size_t i = 0; i < count; ++i)
    index[i] = int64_t(i * 2654435761u % kRows);
  return index;
}

TEST(DecoupledTest, RowsArriveInOrder) {
  std::vector<int64_t> index = scattered(3000);
  Sums run = rowSums(index);
  EXPECT_FALSE(run.outcome.fault.has_value());
  for (size_t i = 0; i < index.size(); ++i)
    ASSERT_EQ(run.out[i], float(index[i])) << i;
  const llvm::json::Object *data =
      run.outcome.statistics.getObject("queues")->getObject("data");
  EXPECT_EQ(data->getInteger("pushes"), 3000);
  EXPECT_EQ(coreCount(run.outcome, "queue_loads"), 3000u);
  const llvm::json::Object *parts = run.outcome.statistics.getObject("parts");
  EXPECT_GT(*parts->getInteger("configure"), 0);
  EXPECT_GT(*parts->getInteger("kernel"), *parts->getInteger("host"));
}

TEST(DecoupledTest, RunsAreIdentical) {
  auto print = [](Sums run) {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::json::Value(std::move(run.outcome.statistics));
    return text;
  };
  std::string first = print(rowSums(scattered(1000)));
  std::vector<char> noise(12345);
  EXPECT_EQ(print(rowSums(scattered(1000))), first);
}

TEST(DecoupledTest, NoRowsTakeNoUnitTime) {
  Sums run = rowSums({});
  EXPECT_FALSE(run.outcome.fault.has_value());
  EXPECT_LT(run.outcome.cycles, 2000u);
}

TEST(DecoupledTest, BadIndicesAreFaultsWithTheirPosition) {
  for (size_t position : {size_t(0), size_t(100), size_t(999)}) {
    std::vector<int64_t> index = scattered(1000);
    index[position] = kRows;
    Sums run = rowSums(index);
    ASSERT_TRUE(run.outcome.fault.has_value());
    EXPECT_EQ(run.outcome.fault->kernel, 7);
    EXPECT_EQ(run.outcome.fault->operation, 4);
    EXPECT_EQ(run.outcome.fault->source, 3);
    EXPECT_EQ(run.outcome.fault->position, int64_t(position));
    EXPECT_EQ(run.outcome.fault->value, int64_t(kRows));
    EXPECT_EQ(run.outcome.fault->limit, int64_t(kRows));
  }
}

TEST(DecoupledTest, SlowerQueuesAreNotFaster) {
  uint64_t before = rowSums(scattered(2000)).outcome.cycles;
  uint64_t after =
      rowSums(scattered(2000), {"queues.visible_latency=200"}).outcome.cycles;
  EXPECT_GE(after, before);
}

TEST(DecoupledTest, ExtentsBeyondTheMemoryAreErrors) {
  auto dae = Machine::load("dae-hbm2");
  ASSERT_TRUE(bool(dae));
  std::vector<int64_t> index = {1};
  std::vector<float> table(kRows * 16), out(1);
  for (uint64_t rows : {kRows + 1, uint64_t(1) << 40, uint64_t(1) << 61}) {
    auto outcome =
        run(*dae, kRowSums, "host",
            {array("table", table), scalar(rows), array("index", index, true),
             scalar(uint64_t(1)), array("out", out, true)},
            {}, true);
    ASSERT_FALSE(bool(outcome)) << rows;
    EXPECT_NE(
        llvm::toString(outcome.takeError()).find("the access unit is to read"),
        std::string::npos);
  }
}

TEST(DecoupledTest, CoupledMachinesRefuseTheAccessUnit) {
  std::vector<int64_t> index = {1};
  std::vector<float> table(kRows * 16), out(1);
  auto outcome =
      run(machine(), kRowSums, "host",
          {array("table", table), scalar(kRows), array("index", index, true),
           scalar(uint64_t(1)), array("out", out, true)},
          {}, true);
  ASSERT_FALSE(bool(outcome));
  EXPECT_NE(llvm::toString(outcome.takeError()).find("access unit"),
            std::string::npos);
}

//===----------------------------------------------------------------------===//
// Stores of the access unit
//===----------------------------------------------------------------------===//

/// Fills `count` elements of `out` with 9; `out` is said to have `size`.
const char *const kFill = R"(
declare void @ember_au_begin(ptr, i32)
declare void @ember_au_const(ptr, i32, i64)
declare void @ember_au_store(ptr, i32, i32, ptr, i32, i32)
declare void @ember_au_dim(ptr, i32, i64, i64)
declare void @ember_au_start(ptr)
declare void @ember_au_wait(ptr)

define void @k_access(ptr %ctx, ptr %out, i64 %size) {
  call void @ember_au_begin(ptr %ctx, i32 0)
  call void @ember_au_const(ptr %ctx, i32 0, i64 0)
  call void @ember_au_const(ptr %ctx, i32 1, i64 9)
  call void @ember_au_store(ptr %ctx, i32 2, i32 1, ptr %out, i32 8, i32 32)
  call void @ember_au_dim(ptr %ctx, i32 0, i64 %size, i64 8)
  call void @ember_au_start(ptr %ctx)
  ret void
}

define i64 @host(ptr %ctx, ptr %out, i64 %size) {
  call void @k_access(ptr %ctx, ptr %out, i64 %size)
  WAIT
  %last = getelementptr i64, ptr %out, i64 31
  %value = load i64, ptr %last
  ret i64 %value
}
)";

llvm::Expected<SessionOutcome> fill(std::vector<int64_t> &out, uint64_t size,
                                    bool writable = true, bool waits = true) {
  auto dae = Machine::load("dae-hbm2");
  if (!dae)
    return dae.takeError();
  std::string text = kFill;
  text.replace(text.find("WAIT"), 4,
               waits ? "call void @ember_au_wait(ptr %ctx)" : "");
  return run(*dae, text, "host", {array("out", out, writable), scalar(size)},
             {}, true);
}

std::string fillError(uint64_t size, bool writable, bool waits) {
  std::vector<int64_t> out(32);
  auto outcome = fill(out, size, writable, waits);
  return outcome ? "" : llvm::toString(outcome.takeError());
}

TEST(DecoupledTest, TheHostSeesWhatTheUnitStored) {
  std::vector<int64_t> out(32);
  auto outcome = fill(out, 32);
  ASSERT_TRUE(bool(outcome)) << llvm::toString(outcome.takeError());
  EXPECT_EQ(out, std::vector<int64_t>(32, 9));
  EXPECT_EQ(outcome->returned, 9u);
  const llvm::json::Object *unit = outcome->statistics.getObject("access_unit");
  EXPECT_EQ(unit->getInteger("lines_written"), 4);
  EXPECT_EQ(unit->getInteger("partial_lines_written"), 0);
}

TEST(DecoupledTest, TheUnitWritesNothingButWhatTheProgramMay) {
  EXPECT_NE(fillError(33, true, true).find("the access unit is to write 264"),
            std::string::npos);
  EXPECT_NE(fillError(32, false, true).find("and is read-only"),
            std::string::npos);
}

TEST(DecoupledTest, AProgramMustWaitForTheUnit) {
  EXPECT_EQ(fillError(32, true, false),
            "the program ends without waiting for the access unit "
            "(ember_au_wait)");
}

} // namespace
