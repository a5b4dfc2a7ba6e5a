#pragma once

#include <cstddef>

namespace lab::emulator {

/// A thread's stack, at the same address in every run.
struct stack_region {
  void* begin = nullptr;
  std::size_t bytes = 0;
};

inline constexpr std::size_t usual_stack_bytes = 8 << 20;

/// The lowest free place of the stack window, poisoned near the top, with an unmapped gap below; `begin` is
/// null where the system or the window has no more.
stack_region take_stack(std::size_t least_bytes);
void give_back_stack(const stack_region& stack);

}  // namespace lab::emulator
