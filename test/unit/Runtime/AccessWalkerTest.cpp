//===- AccessWalkerTest.cpp - Access programs, walked over real arrays ----===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Context.h"

#include "gtest/gtest.h"

#include <climits>
#include <cstring>

using namespace ember::rt;

namespace {

constexpr int data = EMBER_QUEUE_DATA, scalar = EMBER_QUEUE_SCALAR,
              token = EMBER_QUEUE_TOKEN;

/// All pushes of a program, as "queue:value ..." (chunks as their floats),
/// ending in "." or "fault".
std::string walk(const AccessProgram &program, AccessFault *fault = nullptr) {
  AccessWalker walker(program);
  std::string text;
  for (;;) {
    AccessItem item = walker.next();
    if (item.kind == AccessItem::Done)
      return text + ".";
    if (item.kind == AccessItem::Fault) {
      if (fault)
        *fault = walker.fault();
      return text + "fault";
    }
    if (item.kind != AccessItem::Push)
      continue;
    text += "dst"[item.queue];
    if (!item.op) {
      text += std::to_string(item.value);
    } else {
      std::vector<float> element(item.bytes / 4);
      item.push(reinterpret_cast<unsigned char *>(element.data()));
      for (float f : element)
        text += ":" + std::to_string(int(f));
    }
    text += " ";
  }
}

/// Rows of two floats: row i holds 10 i, 10 i + 1.
struct Bags {
  std::vector<float> table;
  std::vector<int64_t> offsets = {0, 2, 2, 3};
  std::vector<int64_t> indices = {3, 1, 2};

  Bags() {
    for (int i = 0; i < 4; ++i)
      table.insert(table.end(), {10.f * i, 10.f * i + 1});
  }

  /// for b { for p in off[b]..off[b+1] { push T[idx[p]] } }, chunks of 2
  /// padded to 4. With `padding`, that index is filtered.
  AccessProgram program(int64_t padding = -1) {
    AccessProgram p(0);
    p.constant(0, 0);
    p.constant(1, 1);
    p.constant(2, offsets.size() - 1);
    p.constant(3, padding);
    p.loop(4, 0, 2, 1, -1);
    p.alu(5, EMBER_AU_ADD, 64, 4, 1, -1);
    p.mem(6, offsets.data(), 8, EMBER_AU_INT, 1, 1);
    p.dim(4, offsets.size(), 8);
    p.mem(7, offsets.data(), 8, EMBER_AU_INT, 1, 1);
    p.dim(5, offsets.size(), 8);
    p.loop(8, 6, 7, 1, token);
    p.mem(9, indices.data(), 8, EMBER_AU_INT, 1, 1);
    p.dim(8, indices.size(), 8);
    p.alu(10, EMBER_AU_NE, 64, 9, 3, -1);
    if (padding >= 0)
      p.beginIf(10, token, -1);
    p.mem(11, table.data(), 4, EMBER_AU_OPAQUE, 2, 4);
    p.dim(9, table.size() / 2, 8);
    p.dim(0, 2, 4);
    p.push(data, 11, 16);
    if (padding >= 0)
      p.end();
    p.end();
    p.end();
    EXPECT_EQ(p.finish(), "");
    return p;
  }
};

TEST(AccessWalker, SendsATokenAnIterationAndAnEnd) {
  Bags bags;
  EXPECT_EQ(walk(bags.program()), "t1 d:30:31:0:0 t1 d:10:11:0:0 t0 "
                                  "t0 "
                                  "t1 d:20:21:0:0 t0 .");
}

TEST(AccessWalker, AFilterSendsTheTokenWhenTaken) {
  Bags bags;
  EXPECT_EQ(walk(bags.program(/*padding=*/1)), "t1 d:30:31:0:0 t0 "
                                               "t0 "
                                               "t1 d:20:21:0:0 t0 .");
}

TEST(AccessWalker, AFlagIsSentEitherWay) {
  std::vector<int32_t> values = {5, -1, 7};
  AccessProgram p(0);
  p.constant(0, 0);
  p.constant(1, 3);
  p.loop(2, 0, 1, 1, -1);
  p.mem(3, values.data(), 4, EMBER_AU_INT, 1, 1);
  p.dim(2, 3, 4);
  p.alu(4, EMBER_AU_SGE, 32, 3, 0, -1);
  p.beginIf(4, -1, token);
  p.push(scalar, 3, 8);
  p.beginElse();
  p.push(scalar, 2, 8);
  p.end();
  p.end();
  ASSERT_EQ(p.finish(), "");
  EXPECT_EQ(walk(p), "t1 s5 t0 s1 t1 s7 .");
}

TEST(AccessWalker, NarrowIntegersAreSignExtendedAndFloatsAreBits) {
  std::vector<int8_t> bytes = {-3};
  float f = -1.5f;
  int32_t bits;
  std::memcpy(&bits, &f, 4);
  AccessProgram p(0);
  p.constant(0, 0);
  p.mem(1, bytes.data(), 1, EMBER_AU_INT, 1, 1);
  p.dim(0, 1, 1);
  p.mem(2, &f, 4, EMBER_AU_OPAQUE, 1, 1);
  p.dim(0, 1, 4);
  p.push(scalar, 1, 8);
  p.push(scalar, 2, 8);
  ASSERT_EQ(p.finish(), "");
  EXPECT_EQ(walk(p), "s-3 s" + std::to_string(uint32_t(bits)) + " .");
}

TEST(AccessWalker, ArithmeticWrapsAtItsWidth) {
  struct {
    int opcode, bits;
    int64_t a, b, expected;
  } cases[] = {
      {EMBER_AU_ADD, 32, INT32_MAX, 1, INT32_MIN},
      {EMBER_AU_ADD, 64, INT64_MAX, 1, INT64_MIN},
      {EMBER_AU_SUB, 8, -128, 1, 127},
      {EMBER_AU_MUL, 64, INT64_MIN, -1, INT64_MIN},
      {EMBER_AU_MIN_S, 32, -1, 1, -1},
      {EMBER_AU_MAX_S, 32, -1, 1, 1},
      {EMBER_AU_ULT, 32, 1, -1, 1},
      {EMBER_AU_SLT, 32, 1, -1, 0},
      {EMBER_AU_UGE, 64, -1, INT64_MAX, 1},
      {EMBER_AU_TRUNC, 32, int64_t(1) << 32 | 7, 0, 7},
      {EMBER_AU_TRUNC, 1, 2, 0, 0},
      {EMBER_AU_EXTEND, 32, 0xFFFFFFFF, 0, -1},
      {EMBER_AU_EXTEND, 1, 1, 0, -1},
      {EMBER_AU_EXTEND_U, 32, -1, 0, 0xFFFFFFFF},
      {EMBER_AU_EXTEND_U, 64, -1, 0, -1},
  };
  for (auto [opcode, bits, a, b, expected] : cases) {
    AccessProgram p(0);
    p.constant(0, a);
    p.constant(1, b);
    p.alu(2, opcode, bits, 0, 1, -1);
    p.push(scalar, 2, 8);
    ASSERT_EQ(p.finish(), "");
    EXPECT_EQ(walk(p), "s" + std::to_string(expected) + " .")
        << opcode << " at " << bits;
  }
}

TEST(AccessWalker, AnUpperBoundBelowTheLowerIsNoIteration) {
  Bags bags;
  bags.offsets = {0, 2, 1, 2};
  EXPECT_EQ(walk(bags.program()), "t1 d:30:31:0:0 t1 d:10:11:0:0 t0 "
                                  "t0 "
                                  "t1 d:10:11:0:0 t0 .");
}

TEST(AccessWalker, AnyStepAndBoundsNearTheEndOfTheRange) {
  AccessProgram p(0);
  p.constant(0, INT64_MAX - 5);
  p.constant(1, INT64_MAX);
  p.loop(2, 0, 1, 4, -1);
  p.push(scalar, 2, 8);
  p.end();
  ASSERT_EQ(p.finish(), "");
  EXPECT_EQ(walk(p), "s" + std::to_string(INT64_MAX - 5) + " s" +
                         std::to_string(INT64_MAX - 1) + " .");
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Does all stores of a program; false if it faulted.
bool store(const AccessProgram &program, AccessFault *fault = nullptr) {
  AccessWalker walker(program);
  for (;;) {
    AccessItem item = walker.next();
    if (item.kind == AccessItem::Store)
      item.storeElements();
    if (item.kind == AccessItem::Done)
      return true;
    if (item.kind != AccessItem::Fault)
      continue;
    if (fault)
      *fault = walker.fault();
    return false;
  }
}

/// for p in 0..3 { out[p] = T[idx[p]] }, of each row `count` of its two floats,
/// padded to four. Rows of `out` are `width` floats.
AccessProgram copyRows(Bags &bags, std::vector<float> &out, int width,
                       int count) {
  AccessProgram p(0);
  p.constant(0, 0);
  p.constant(1, 3);
  p.loop(2, 0, 1, 1, -1);
  p.mem(3, bags.indices.data(), 8, EMBER_AU_INT, 1, 1);
  p.dim(2, 3, 8);
  p.mem(4, bags.table.data(), 4, EMBER_AU_OPAQUE, 2, 4);
  p.dim(3, 4, 8);
  p.dim(0, 2, 4);
  p.store(5, 4, out.data(), 4, count);
  p.dim(2, int64_t(out.size()) / width, 4 * width);
  p.dim(0, width, 4);
  p.end();
  EXPECT_EQ(p.finish(), "");
  return p;
}

TEST(AccessWalker, StoresRowsAndTheirPadding) {
  Bags bags;
  std::vector<float> out(9, -1);
  EXPECT_TRUE(store(copyRows(bags, out, 3, 3)));
  EXPECT_EQ(out, (std::vector<float>{30, 31, 0, 10, 11, 0, 20, 21, 0}));
  std::fill(out.begin(), out.end(), -1);
  EXPECT_TRUE(store(copyRows(bags, out, 3, 1)));
  EXPECT_EQ(out, (std::vector<float>{30, -1, -1, 10, -1, -1, 20, -1, -1}));
}

TEST(AccessWalker, AScalarFillsAllElements) {
  std::vector<int16_t> out(6, 7);
  AccessProgram p(0);
  p.constant(0, 0);
  p.constant(1, -2);
  p.store(2, 1, out.data(), 2, 3);
  p.dim(0, 6, 4); // every other element
  ASSERT_EQ(p.finish(), "");
  EXPECT_TRUE(store(p));
  EXPECT_EQ(out, (std::vector<int16_t>{-2, 7, -2, 7, -2, 7}));
}

TEST(AccessWalker, AStoreMustLieInItsBuffer) {
  Bags bags;
  std::vector<float> out(4, -1);
  AccessFault fault;
  EXPECT_FALSE(store(copyRows(bags, out, 2, 2), &fault)); // two rows of three
  EXPECT_EQ(out, (std::vector<float>{30, 31, 10, 11}));
  EXPECT_EQ(fault.op, 5);
  EXPECT_EQ(fault.dimension, 0);
  EXPECT_EQ(fault.value, 2);
  EXPECT_EQ(fault.limit, 2);
  EXPECT_EQ(fault.source, -1);
  EXPECT_FALSE(
      store(copyRows(bags, out, 2, 3), &fault)); // three of two columns
  EXPECT_EQ(fault.dimension, 1);
  EXPECT_EQ(fault.value, 2);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST(AccessWalker, EveryBadIndexIsAFaultBeforeItIsMultiplied) {
  // A row is 8 bytes: 2^61 * 8 and 2^58 * 64 wrap to 0, so a check of the
  // byte address alone would pass them.
  for (int64_t bad :
       {int64_t(-1), int64_t(4), int64_t(1) << 55, int64_t(1) << 58,
        int64_t(1) << 61, INT64_MIN, INT64_MAX, int64_t(INT32_MIN)}) {
    Bags bags;
    bags.indices[1] = bad;
    AccessFault fault;
    EXPECT_EQ(walk(bags.program(), &fault), "t1 d:30:31:0:0 t1 fault") << bad;
    EXPECT_EQ(fault.op, 11);
    EXPECT_EQ(fault.dimension, 0);
    EXPECT_EQ(fault.value, bad);
    EXPECT_EQ(fault.limit, 4);
    EXPECT_EQ(fault.source, 9); // the indices
    EXPECT_EQ(fault.position, 1);
  }
}

TEST(AccessWalker, AStepThatIsNotPositiveIsAFault) {
  for (int64_t step : {int64_t(0), int64_t(-1), INT64_MIN}) {
    AccessProgram p(0);
    p.constant(0, 0);
    p.constant(1, 1);
    p.loop(2, 0, 1, step, token);
    p.end();
    ASSERT_EQ(p.finish(), "");
    AccessFault fault;
    EXPECT_EQ(walk(p, &fault), "fault");
    EXPECT_EQ(fault.op, 2);
    EXPECT_EQ(fault.dimension, -1);
    EXPECT_EQ(fault.value, step);
    EXPECT_EQ(fault.source, -1);
  }
}

TEST(AccessWalker, AnOffsetBeyondTheIndicesIsAFault) {
  Bags bags;
  bags.offsets[3] = INT64_MAX;
  AccessFault fault;
  std::string text = walk(bags.program(), &fault);
  EXPECT_EQ(text.substr(text.size() - 5), "fault");
  EXPECT_EQ(fault.op, 9);
  EXPECT_EQ(fault.value, 3);
  EXPECT_EQ(fault.limit, 3);
}

TEST(AccessWalker, AChunkMustLieInItsRow) {
  Bags bags;
  AccessProgram p(0);
  p.constant(0, 0);
  p.constant(1, 1);
  p.mem(2, bags.table.data(), 4, EMBER_AU_OPAQUE, 2, 4);
  p.dim(0, 4, 8);
  p.dim(1, 2, 4); // columns 1 and 2 of two
  p.push(data, 2, 16);
  ASSERT_EQ(p.finish(), "");
  AccessFault fault;
  EXPECT_EQ(walk(p, &fault), "fault");
  EXPECT_EQ(fault.dimension, 1);
  EXPECT_EQ(fault.value, 2); // the first column outside
  EXPECT_EQ(fault.source, -1);
}

TEST(AccessWalker, ProvenanceGoesThroughArithmetic) {
  // clamp, then minus 5: the loaded index is still named.
  std::vector<int32_t> indices = {7, 3};
  float row = 1;
  AccessProgram p(0);
  p.constant(0, 5);
  p.constant(1, 1);
  p.mem(2, indices.data(), 4, EMBER_AU_INT, 1, 1);
  p.dim(1, 2, 4);
  p.alu(3, EMBER_AU_MIN_S, 32, 2, 0, -1);
  p.alu(4, EMBER_AU_SUB, 32, 3, 0, -1);
  p.alu(5, EMBER_AU_EXTEND, 32, 4, -1, -1);
  p.mem(6, &row, 4, EMBER_AU_OPAQUE, 1, 1);
  p.dim(5, 1, 4);
  ASSERT_EQ(p.finish(), "");
  AccessFault fault;
  EXPECT_EQ(walk(p, &fault), "fault");
  EXPECT_EQ(fault.value, 3);
  EXPECT_EQ(fault.source, 2);
  EXPECT_EQ(fault.position, 1);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST(AccessProgram, PrintsAsText) {
  Bags bags;
  EXPECT_EQ(bags.program(1).print(), R"(kernel 0
  %0 = const 0
  %1 = const 1
  %2 = const 3
  %3 = const 1
  %4 = loop %0 to %2 step 1
    %5 = add.64 %4 %1
    %6 = mem 8 int [%4 < 4 * 8]
    %7 = mem 8 int [%5 < 4 * 8]
    %8 = loop %6 to %7 step 1 filtered token
      %9 = mem 8 int [%8 < 3 * 8]
      %10 = ne.64 %9 %3
      if %10 filter token
        %11 = mem 4 opaque x 2 pad 4 [%9 < 4 * 8] [%0 < 2 * 4]
        push data %11 bytes 16
      end
    end
  end
)");
}

TEST(AccessProgram, PrintsStores) {
  Bags bags;
  std::vector<float> out(6);
  EXPECT_EQ(copyRows(bags, out, 2, 2).print(), R"(kernel 0
  %0 = const 0
  %1 = const 3
  %2 = loop %0 to %1 step 1
    %3 = mem 8 int [%2 < 3 * 8]
    %4 = mem 4 opaque x 2 pad 4 [%3 < 4 * 8] [%0 < 2 * 4]
    %5: store %4 to 4 x 2 [%2 < 3 * 8] [%0 < 2 * 4]
  end
)");
}

TEST(AccessProgram, ASliceHasOnlyWhatDecidesTheAddresses) {
  Bags bags;
  AccessProgram p = bags.program();
  EXPECT_EQ(p.sourcesOf(11), (std::vector<int32_t>{6, 7, 9}));
  EXPECT_EQ(p.sourcesOf(9), (std::vector<int32_t>{6, 7}));
  EXPECT_EQ(p.slice(6).print(), "kernel 0\n"
                                "  %0 = const 0\n"
                                "  %2 = const 3\n"
                                "  %4 = loop %0 to %2 step 1\n"
                                "    %6 = mem 8 int [%4 < 4 * 8]\n"
                                "  end\n");
  // Its walk reads the same addresses as the whole program's.
  for (int32_t id : {6, 7, 9, 11}) {
    auto addresses = [&](const AccessProgram &program) {
      std::vector<const unsigned char *> seen;
      AccessWalker walker(program);
      for (AccessItem item = walker.next(); item.kind != AccessItem::Done;
           item = walker.next())
        if (item.kind == AccessItem::Memory && item.op->dst == id)
          seen.push_back(item.address);
      return seen;
    };
    EXPECT_EQ(addresses(p.slice(id)), addresses(p)) << id;
  }
}

TEST(AccessProgram, NamesTheFirstMistake) {
  auto mistake = [](auto build) {
    AccessProgram p(3);
    p.constant(0, 0);
    build(p);
    return p.finish();
  };
  using P = AccessProgram &;
  const std::string start = "access program of kernel 3, operation 1: ";
  EXPECT_EQ(mistake([](P p) { p.constant(2, 0); }),
            start + "id 2 is not the next one, 1");
  EXPECT_EQ(mistake([](P p) { p.loop(1, 0, 9, 1, -1); }),
            start + "upper bound 9 is not in scope");
  EXPECT_EQ(mistake([](P p) { p.loop(1, 0, 0, 1, 3); }),
            start + "token queue 3 does not exist");
  EXPECT_EQ(mistake([](P p) { p.end(); }), start + "end without a loop or if");
  EXPECT_EQ(mistake([](P p) { p.push(0, 0, 16); }),
            start + "push of 16 bytes where the value has 8");
  EXPECT_EQ(mistake([](P p) { p.beginIf(0, token, -1); }),
            start + "a filter outside a loop with that token queue");
  EXPECT_EQ(mistake([](P p) { p.alu(1, 99, 64, 0, 0, 0); }),
            start + "unknown opcode 99");
  EXPECT_EQ(mistake([](P p) { p.store(1, 4, nullptr, 4, 1); }),
            start + "stored id 4 is not in scope");
  EXPECT_EQ(mistake([](P p) { p.store(1, 0, nullptr, 3, 1); }),
            start + "element of 3 bytes");
  EXPECT_EQ(mistake([](P p) { p.store(1, 0, nullptr, 4, 0); }),
            start + "store of 0 elements");
  EXPECT_NE(mistake([](P p) { p.store(1, 0, nullptr, 4, 1); }), "");
  EXPECT_NE(mistake([](P p) {
              p.store(1, 0, nullptr, 4, 1);
              p.dim(0, 1, 4);
              p.push(0, 1, 8); // a store has no value
            }),
            "");
  EXPECT_NE(mistake([](P p) { p.loop(1, 0, 0, 1, -1); }), "");
  EXPECT_NE(mistake([](P p) {
              p.loop(1, 0, 0, 1, -1);
              p.end();
              p.push(0, 1, 8);
            }),
            "");
}

//===----------------------------------------------------------------------===//
// The queues in memory
//===----------------------------------------------------------------------===//

TEST(Context, FillsRingsAcrossTheirEnd) {
  // Elements of 24 bytes in a ring of 64: every third starts at the beginning.
  std::vector<float> rows(6 * 6);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = i;
  Context context({64, 64, 64});
  void *ctx = context.handle();
  ember_au_begin(ctx, 0);
  ember_au_const(ctx, 0, 0);
  ember_au_const(ctx, 1, 6);
  ember_au_loop(ctx, 2, 0, 1, 1, -1);
  ember_au_mem(ctx, 3, rows.data(), 4, EMBER_AU_OPAQUE, 6, 6);
  ember_au_dim(ctx, 2, 6, 24);
  ember_au_dim(ctx, 0, 6, 4);
  ember_au_push(ctx, data, 3, 24);
  ember_au_end(ctx);
  ember_au_start(ctx);
  ember_queue *queue = context.queue[data];
  uint64_t tail = 0;
  for (int i = 0; i < 6; ++i) {
    uint64_t at = ember_queue_place(tail, 24, 64);
    EXPECT_GE(ember_queue_wait(ctx, queue, at + 24), at + 24);
    EXPECT_EQ(0, std::memcmp(queue->ring + at % 64, &rows[i * 6], 24)) << i;
    queue->consumed = tail = at + 24;
  }
  EXPECT_EQ(context.internalError(), "");
  EXPECT_EQ(tail, 24u + 24 + 16 + 24 + 24 + 16 + 24 + 24);
}

TEST(Context, AFaultClosesTheQueues) {
  Bags bags;
  bags.indices[0] = 77;
  Context context({64, 64, 64});
  context.begin(5);
  context.building() = bags.program();
  context.start();
  ember_queue *tokens = context.queue[token];
  for (uint64_t needed = 8; needed < 400; needed += 8) {
    EXPECT_GE(ember_queue_wait(context.handle(), tokens, needed), needed);
    EXPECT_EQ(tokens->ring[(needed - 8) % 64], EMBER_TOKEN_END);
    tokens->consumed = needed;
  }
  ASSERT_TRUE(context.unitFault());
  EXPECT_EQ(context.unitFault()->fault.value, 77);
}

TEST(Context, AWaitThatNothingEndsIsReported) {
  Bags bags;
  Context context({64, 64, 64});
  context.begin(0);
  context.building() = bags.program();
  context.start();
  ember_queue_wait(context.handle(), context.queue[scalar], 8);
  EXPECT_EQ(context.internalError(),
            "deadlock: the execute code waits for 8 bytes more of queue "
            "scalar, but the access unit has finished");
}

TEST(Context, WaitingForTheUnitFinishesItsStores) {
  Bags bags;
  std::vector<float> out(6);
  Context context({64, 64, 64});
  context.begin(0);
  context.building() = copyRows(bags, out, 2, 2);
  context.start();
  EXPECT_FALSE(context.idle());
  ember_au_wait(context.handle());
  EXPECT_TRUE(context.idle());
  EXPECT_EQ(out, (std::vector<float>{30, 31, 10, 11, 20, 21}));
  EXPECT_EQ(context.internalError(), "");
}

TEST(Context, WaitingForAUnitThatWaitsIsReported) {
  Bags bags;
  Context context({8, 8, 8});
  context.begin(0);
  context.building() = bags.program();
  context.start();
  ember_au_wait(context.handle());
  EXPECT_EQ(
      context.internalError(),
      "deadlock: the host waits for the access unit, which waits for room "
      "in a queue");
}

TEST(Context, AProgramMustBeBegunFirst) {
  Context context({64, 64, 64});
  ember_au_const(context.handle(), 0, 1);
  ember_au_start(context.handle());
  EXPECT_EQ(context.internalError(),
            "the access unit is programmed before ember_au_begin");
  EXPECT_TRUE(context.closed());
  Context other({64, 64, 64});
  ember_au_start(other.handle());
  EXPECT_FALSE(other.internalError().empty());
}

TEST(Context, TheFirstHostFaultWins) {
  Context context({64, 64, 64});
  ember_fault(context.handle(), 4, 1, 2, 3);
  ember_fault(context.handle(), 5, 6, 7, 8);
  ASSERT_TRUE(context.hostFault());
  EXPECT_EQ(context.hostFault()->site, 4);
}

} // namespace
