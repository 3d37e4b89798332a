//===- Fiber.cpp - Code that can be left and entered again ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstdint>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#else
static void __sanitizer_start_switch_fiber(void **, const void *, size_t) {}
static void __sanitizer_finish_switch_fiber(void *, const void **, size_t *) {}
#endif

using namespace ember::sim;

static constexpr size_t kGuardBytes = 4096;

Fiber::Fiber(std::function<void()> function) : function(std::move(function)) {
  void *memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    llvm::report_bad_alloc_error("no memory for a simulated program's stack");
  stack = static_cast<char *>(memory) + kGuardBytes;
  mprotect(stack, kStackBytes, PROT_READ | PROT_WRITE);
  getcontext(&self);
  self.uc_stack.ss_sp = stack;
  self.uc_stack.ss_size = kStackBytes;
  self.uc_link = nullptr;
  // makecontext passes ints only.
  uint64_t address = reinterpret_cast<uint64_t>(this);
  makecontext(&self, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
              unsigned(address), unsigned(address >> 32));
}

Fiber::~Fiber() {
  munmap(static_cast<char *>(stack) - kGuardBytes, kGuardBytes + kStackBytes);
}

void Fiber::enter(unsigned low, unsigned high) {
  auto *fiber = reinterpret_cast<Fiber *>(uint64_t(high) << 32 | low);
  __sanitizer_finish_switch_fiber(nullptr, &fiber->callerStack,
                                  &fiber->callerStackBytes);
  fiber->function();
  fiber->done = true;
  fiber->leave(true);
}

void Fiber::resume() {
  void *fakeStack = nullptr;
  __sanitizer_start_switch_fiber(&fakeStack, stack, kStackBytes);
  swapcontext(&caller, &self);
  __sanitizer_finish_switch_fiber(fakeStack, nullptr, nullptr);
}

void Fiber::leave(bool forGood) {
  __sanitizer_start_switch_fiber(forGood ? nullptr : &selfFakeStack,
                                 callerStack, callerStackBytes);
  swapcontext(&self, &caller);
  __sanitizer_finish_switch_fiber(selfFakeStack, &callerStack,
                                  &callerStackBytes);
}

void Fiber::yield() { leave(false); }
