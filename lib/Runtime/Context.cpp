//===- Context.cpp - The functional side of a run -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Runtime/Context.h"

#include <cstdlib>
#include <cstring>

using namespace ember::rt;

Context::Context(std::array<uint64_t, EMBER_QUEUES> capacities)
    : capacities(capacities) {
  for (int i = 0; i < EMBER_QUEUES; ++i) {
    uint64_t bytes = EMBER_QUEUE_RING_OFFSET + capacities[i];
    bytes =
        (bytes + EMBER_QUEUE_ALIGN - 1) / EMBER_QUEUE_ALIGN * EMBER_QUEUE_ALIGN;
    queue[i] = static_cast<ember_queue *>(
        std::aligned_alloc(EMBER_QUEUE_ALIGN, bytes));
    std::memset(static_cast<void *>(queue[i]), 0, bytes);
  }
}

Context::~Context() {
  for (ember_queue *q : queue)
    std::free(q);
}

uint64_t Context::wait(ember_queue *q, uint64_t needed) {
  if (!isClosed && q->produced < needed)
    runUnit();
  if (!isClosed && q->produced < needed) {
    int index = 0;
    while (queue[index] != q)
      ++index;
    static const char *const names[] = {"data", "scalar", "token"};
    stop("deadlock: the execute code waits for " +
         std::to_string(needed - q->produced) + " bytes more of queue " +
         names[index] +
         (launches.empty()
              ? ", but the access unit has finished"
              : ", but the access unit waits for room in another queue"));
  }
  return isClosed ? needed : q->produced;
}

void Context::waitForUnit() {
  runUnit();
  if (!launches.empty())
    stop("deadlock: the host waits for the access unit, which waits for room "
         "in a queue");
  waited();
}

void Context::report(const HostFault &fault) {
  if (!theHostFault && !theUnitFault)
    theHostFault = fault;
}

void Context::begin(int32_t kernel) {
  program = std::make_shared<AccessProgram>(kernel);
}

AccessProgram &Context::building() {
  if (!program) {
    program = std::make_shared<AccessProgram>(-1);
    stop("the access unit is programmed before ember_au_begin");
  }
  return *program;
}

void Context::start() {
  std::string error = building().finish();
  if (!error.empty())
    return stop(error);
  if (!theInternalError.empty())
    return;
  std::shared_ptr<const AccessProgram> complete = std::move(program);
  launches.push_back({complete, AccessWalker(*complete), std::nullopt});
  started(complete);
}

/// Walks until a queue is full, the programs end or one faults.
void Context::runUnit() {
  while (!launches.empty()) {
    Launch &launch = launches.front();
    AccessItem item = launch.held ? *launch.held : launch.walker.next();
    launch.held.reset();
    switch (item.kind) {
    case AccessItem::Memory:
    case AccessItem::Iteration:
      break;
    case AccessItem::Push:
      if (tryPush(item))
        break;
      launch.held = item;
      return;
    case AccessItem::Store:
      item.storeElements();
      break;
    case AccessItem::Done:
      launches.pop_front();
      break;
    case AccessItem::Fault:
      if (!theHostFault && !theUnitFault)
        theUnitFault = {launch.program->kernel(), launch.walker.fault()};
      return close();
    }
  }
}

bool Context::tryPush(const AccessItem &item) {
  ember_queue *q = queue[item.queue];
  uint64_t capacity = capacities[item.queue];
  uint64_t at = ember_queue_place(q->produced, item.bytes, capacity);
  if (at + item.bytes > q->consumed + capacity)
    return false;
  item.push(q->ring + (at & (capacity - 1)));
  q->produced = at + item.bytes;
  return true;
}

void Context::fork(int64_t core, ember_core_code *code, void *closure) {
  auto [place, isNew] = cores.try_emplace(core);
  if (core < 1 || !isNew)
    return stop("core " + std::to_string(core) + " cannot be forked: " +
                (isNew ? "cores count from 1" : "it has not been joined"));
  place->second = std::make_unique<Context>(capacities);
  code(place->second->handle(), core, closure);
}

void Context::join() {
  for (auto &[number, core] : cores)
    take(*core);
  cores.clear();
}

void Context::take(const Context &core) {
  if (!theHostFault && !theUnitFault) {
    theHostFault = core.theHostFault;
    theUnitFault = core.theUnitFault;
  }
  if (!core.theInternalError.empty())
    stop(core.theInternalError);
}

void Context::stop(const std::string &error) {
  if (theInternalError.empty())
    theInternalError = error;
  close();
}

/// From here on every queue reads as zeros and nobody waits.
void Context::close() {
  isClosed = true;
  launches.clear();
  for (int i = 0; i < EMBER_QUEUES; ++i)
    std::memset(queue[i]->ring, 0, capacities[i]);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

uint64_t ember_queue_wait(void *ctx, ember_queue *queue, uint64_t needed) {
  return Context::of(ctx).wait(queue, needed);
}

void ember_fault(void *ctx, int32_t site, int64_t position, int64_t value,
                 int64_t limit) {
  Context::of(ctx).report({site, position, value, limit});
}

void ember_au_begin(void *ctx, int32_t kernel) {
  Context::of(ctx).begin(kernel);
}

void ember_au_const(void *ctx, int32_t dst, int64_t value) {
  Context::of(ctx).building().constant(dst, value);
}

void ember_au_loop(void *ctx, int32_t dst, int32_t lower, int32_t upper,
                   int64_t step, int32_t token_queue) {
  Context::of(ctx).building().loop(dst, lower, upper, step, token_queue);
}

void ember_au_mem(void *ctx, int32_t dst, const void *base, int32_t elem_bytes,
                  int32_t element, int32_t count, int32_t padded) {
  Context::of(ctx).building().mem(dst, base, elem_bytes, element, count,
                                  padded);
}

void ember_au_dim(void *ctx, int32_t index, int64_t extent,
                  int64_t stride_bytes) {
  Context::of(ctx).building().dim(index, extent, stride_bytes);
}

void ember_au_alu(void *ctx, int32_t dst, int32_t opcode, int32_t bits,
                  int32_t a, int32_t b, int32_t c) {
  Context::of(ctx).building().alu(dst, opcode, bits, a, b, c);
}

void ember_au_if(void *ctx, int32_t cond, int32_t filter_token_queue,
                 int32_t flag_queue) {
  Context::of(ctx).building().beginIf(cond, filter_token_queue, flag_queue);
}

void ember_au_else(void *ctx) { Context::of(ctx).building().beginElse(); }

void ember_au_end(void *ctx) { Context::of(ctx).building().end(); }

void ember_au_push(void *ctx, int32_t queue, int32_t src, int32_t bytes) {
  Context::of(ctx).building().push(queue, src, bytes);
}

void ember_au_store(void *ctx, int32_t dst, int32_t src, void *base,
                    int32_t elem_bytes, int32_t count) {
  Context::of(ctx).building().store(dst, src, base, elem_bytes, count);
}

void ember_au_start(void *ctx) { Context::of(ctx).start(); }

void ember_au_wait(void *ctx) { Context::of(ctx).waitForUnit(); }

void ember_fork(void *ctx, int64_t core, ember_core_code *code, void *closure) {
  Context::of(ctx).fork(core, code, closure);
}

void ember_join(void *ctx) { Context::of(ctx).join(); }
