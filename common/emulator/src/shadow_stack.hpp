#pragma once

#include <cstddef>
#include <cstdint>

namespace lab::emulator {

/// The calls in progress of one flow of control (a host thread, or a fiber of a kernel), as return addresses:
/// kept by the function-entry callbacks, so that a CUDA call can be traced to the student's line through
/// macros and helpers.
struct shadow_stack {
  std::uintptr_t* frames;
  std::size_t capacity;
  std::size_t depth;  ///< may exceed the capacity: deeper frames are counted, not kept

  /// Where the function in progress was called; 0: from nowhere that is known.
  std::uintptr_t innermost() const { return depth == 0 || depth > capacity ? 0 : frames[depth - 1]; }
};

/// That of the running flow of control.
extern shadow_stack* shadow;

inline constexpr std::size_t host_shadow_frames = 1 << 16;

shadow_stack make_shadow_stack(std::size_t frames);
void free_shadow_stack(shadow_stack& stack);

}  // namespace lab::emulator
