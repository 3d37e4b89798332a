//===- Fiber.h - Code that can be left and entered again --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The program under simulation runs on its own stack, so that it can stop in
// the middle of a loop when its trace buffer is full. A fiber that is destroyed
// before its function returned is dropped: nothing on its stack is destroyed.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATOR_FIBER_H
#define EMBER_LIB_SIMULATOR_FIBER_H

#include <cstddef>
#include <functional>
#include <ucontext.h>

namespace ember::sim {

class Fiber {
public:
  explicit Fiber(std::function<void()> function);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Runs until the function yields or returns. Not after it has returned.
  void resume();

  /// Called within the function: back to `resume`.
  void yield();

  bool finished() const { return done; }

private:
  static void enter(unsigned low, unsigned high);
  void leave(bool forGood);

  static constexpr size_t kStackBytes = size_t(1) << 20;

  std::function<void()> function;
  void *stack = nullptr; ///< Below it lies a page that no one may touch.
  ucontext_t self, caller;
  bool done = false;
  // For the address sanitizer, which has to know which stack is in use.
  void *selfFakeStack = nullptr;
  const void *callerStack = nullptr;
  size_t callerStackBytes = 0;
};

} // namespace ember::sim

#endif // EMBER_LIB_SIMULATOR_FIBER_H
