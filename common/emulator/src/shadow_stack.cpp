#include "shadow_stack.hpp"

#include <sys/mman.h>

namespace lab::emulator {

shadow_stack* shadow;

shadow_stack make_shadow_stack(std::size_t frames) {
  void* memory = mmap(nullptr, frames * sizeof(std::uintptr_t), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return {nullptr, 0, 0};
  return {static_cast<std::uintptr_t*>(memory), frames, 0};
}

void free_shadow_stack(shadow_stack& stack) {
  if (stack.frames != nullptr) munmap(stack.frames, stack.capacity * sizeof(std::uintptr_t));
}

}  // namespace lab::emulator
