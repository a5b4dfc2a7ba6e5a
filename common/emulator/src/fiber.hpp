#pragma once

#include <cstdint>
#include <utility>

#include "fcontext.hpp"
#include "shadow_stack.hpp"

namespace lab::emulator {

/// A flow of control with a stack of its own: kernel threads run on pooled ones, and so does the program's
/// main.
///
/// A fiber that is given up in the middle (a kernel fault) is simply never resumed; its stack is used again
/// from the top.
struct fiber {
  using entry = void (*)(fiber& self);

  boost::context::detail::fcontext_t context = nullptr;
  char* stack_low = nullptr;
  char* stack_high = nullptr;
  shadow_stack calls{};
  fiber::entry body = nullptr;

  // The kernel thread parked here at a barrier.
  unsigned x = 0, y = 0, z = 0;
  std::int64_t delay = 0;
  std::size_t place = 0;  ///< among its grid's fibers
};

/// Runs `to` until something switches back to `from`, the running one.
void switch_to(fiber& from, fiber& to);

/// Prepares `body` to start on the fiber's stack at the next switch; what ran there before is abandoned.
void prepare(fiber& fiber, fiber::entry body);

/// Fibers for kernel threads; never freed, handed out in a fixed order so that addresses repeat.
fiber& take_fiber(fiber::entry body);
void give_back_fiber(fiber& fiber);

/// The stack of a kernel thread in which the address lies; {0, 0} if none.
std::pair<std::uintptr_t, std::uintptr_t> kernel_stack_around(std::uintptr_t address);

/// Whether it lies in the guard page below one: the stack has overflowed.
bool in_stack_guard(std::uintptr_t address);

}  // namespace lab::emulator
