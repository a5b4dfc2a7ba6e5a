#include "interpose/stacks.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstdint>

#include "interpose/heap_layout.hpp"
#include "interpose/hooks.hpp"
#include "interpose/syscalls.hpp"

namespace lab::emulator {

namespace {

// Places are twice the usual stack: the lower half stays unmapped, so a stack that overflows faults.
constexpr std::size_t place_bytes = 2 * usual_stack_bytes;
constexpr std::size_t place_count = (stack_window_end - stack_window_begin) / place_bytes;
constexpr std::size_t gap_bytes = usual_stack_bytes;

/// What is poisoned of a new stack: deeper frames are overwritten by earlier calls anyway.
constexpr std::size_t poisoned_bytes = 128 << 10;

bool taken[place_count];

std::size_t places_for(std::size_t bytes) {
  return (bytes + gap_bytes + place_bytes - 1) / place_bytes;
}

bool is_free(std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (i >= place_count || taken[i]) return false;
  }
  return true;
}

void mark(std::size_t first, std::size_t count, bool value) {
  for (std::size_t i = first; i < first + count; ++i) taken[i] = value;
}

}  // namespace

stack_region take_stack(std::size_t least_bytes) {
  const std::size_t count = places_for(least_bytes);
  const std::size_t bytes = count * place_bytes - gap_bytes;
  std::size_t first = 0;
  while (first < place_count && !is_free(first, count)) ++first;
  if (first == place_count) return {};
  const std::uintptr_t end = stack_window_begin + (first + count) * place_bytes;
  const auto begin = static_cast<long>(end - bytes);
  const long mapped = raw_syscall(SYS_mmap, begin, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != begin) return {};
  mark(first, count, true);
  auto* top = reinterpret_cast<unsigned char*>(end);
  for (unsigned char* byte = top - poisoned_bytes; byte < top; ++byte) *byte = heap_layout::fresh_byte;
  return {reinterpret_cast<void*>(begin), bytes};
}

void give_back_stack(const stack_region& stack) {
  const auto begin = reinterpret_cast<std::uintptr_t>(stack.begin);
  raw_syscall(SYS_munmap, static_cast<long>(begin), static_cast<long>(stack.bytes));
  const std::size_t count = places_for(stack.bytes);
  mark((begin + stack.bytes - stack_window_begin) / place_bytes - count, count, false);
}

}  // namespace lab::emulator
