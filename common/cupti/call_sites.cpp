#include "call_sites.hpp"

#include <algorithm>
#include <utility>

#include "host_accesses.hpp"

// From the linker.
extern "C" {
extern char __executable_start;
extern char _end;
/// Written by the entry points that wrapped_functions.S puts in front of the CUDA API.
thread_local const void* lab_call_site;
}

namespace lab::cupti {
namespace {

constexpr std::size_t kept_frames = 256;  // deeper ones are counted, not kept
constexpr std::size_t most_frames = 24;   // of one stack in the record

struct shadow_stack {
  std::uint64_t frames[kept_frames];
  std::size_t depth;
};
thread_local shadow_stack shadow;

bool in_image(std::uint64_t code) {
  return code >= reinterpret_cast<std::uint64_t>(&__executable_start) &&
         code < reinterpret_cast<std::uint64_t>(&_end);
}

}  // namespace

const void* take_call_site() {
  return std::exchange(lab_call_site, nullptr);
}

std::uintptr_t called_from() {
  return shadow.depth == 0 || shadow.depth > kept_frames ? 0 : shadow.frames[shadow.depth - 1];
}

std::vector<std::uint64_t> call_stack(const void* innermost) {
  std::vector<std::uint64_t> frames;
  // Code of shared libraries has no source to show, and lies elsewhere in every run.
  const auto keep = [&](std::uint64_t code) {
    if (in_image(code)) frames.push_back(code);
  };
  keep(reinterpret_cast<std::uint64_t>(innermost));
  for (std::size_t i = std::min(shadow.depth, kept_frames); i > 0 && frames.size() < most_frames; --i) {
    keep(shadow.frames[i - 1]);
  }
  return frames;
}

// The linker puts the program's code before that of the libraries that are linked into it, this one first:
// the CUDA runtime reads clocks too, before anybody can tell that it runs.
bool called_by_program(const void* return_address) {
  const auto code = reinterpret_cast<std::uint64_t>(return_address);
  return shadow.depth > 0 && in_image(code) && code < reinterpret_cast<std::uint64_t>(&take_call_site);
}

}  // namespace lab::cupti

// --- what the compiler calls in instrumented code
// -----------------------------------------------------------------------

using namespace lab::cupti;

extern "C" {

void __tsan_init() {}

void __tsan_func_entry(void* caller) {
  if (shadow.depth < kept_frames) shadow.frames[shadow.depth] = reinterpret_cast<std::uint64_t>(caller);
  ++shadow.depth;
}
void __tsan_func_exit() {
  if (shadow.depth > 0) --shadow.depth;
}

#define LAB_CALLER __builtin_return_address(0)
#define LAB_ACCESS(name, bytes, write, atomic)                      \
  void __tsan_##name##bytes(void* pointer) {                        \
    host_accesses::note(pointer, bytes, write, atomic, LAB_CALLER); \
  }
// What is volatile is a flag, which the device may use at the same time.
#define LAB_ACCESSES(bytes)                               \
  LAB_ACCESS(read, bytes, false, false)                   \
  LAB_ACCESS(write, bytes, true, false)                   \
  LAB_ACCESS(read_write, bytes, true, false)              \
  LAB_ACCESS(volatile_read, bytes, false, true)           \
  LAB_ACCESS(volatile_write, bytes, true, true)           \
  LAB_ACCESS(unaligned_read, bytes, false, false)         \
  LAB_ACCESS(unaligned_write, bytes, true, false)         \
  LAB_ACCESS(unaligned_read_write, bytes, true, false)    \
  LAB_ACCESS(unaligned_volatile_read, bytes, false, true) \
  LAB_ACCESS(unaligned_volatile_write, bytes, true, true)

LAB_ACCESSES(1)
LAB_ACCESSES(2)
LAB_ACCESSES(4)
LAB_ACCESSES(8)
LAB_ACCESSES(16)

void __tsan_read_range(void* pointer, unsigned long bytes) {
  host_accesses::note(pointer, bytes, false, false, LAB_CALLER);
}
void __tsan_write_range(void* pointer, unsigned long bytes) {
  host_accesses::note(pointer, bytes, true, false, LAB_CALLER);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

#define LAB_NOTE_ATOMIC(write) host_accesses::note(a, sizeof *a, write, true, LAB_CALLER)
#define LAB_UPDATE(bits, T, name)                           \
  T __tsan_atomic##bits##_##name(volatile T* a, T v, int) { \
    LAB_NOTE_ATOMIC(true);                                  \
    return __atomic_##name(a, v, __ATOMIC_SEQ_CST);         \
  }
#define LAB_ATOMIC(bits, T)                                                                        \
  T __tsan_atomic##bits##_load(const volatile T* a, int) {                                         \
    LAB_NOTE_ATOMIC(false);                                                                        \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int) {                                      \
    LAB_NOTE_ATOMIC(true);                                                                         \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) {                                      \
    LAB_NOTE_ATOMIC(true);                                                                         \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  LAB_UPDATE(bits, T, fetch_add)                                                                   \
  LAB_UPDATE(bits, T, fetch_sub)                                                                   \
  LAB_UPDATE(bits, T, fetch_and)                                                                   \
  LAB_UPDATE(bits, T, fetch_or)                                                                    \
  LAB_UPDATE(bits, T, fetch_xor)                                                                   \
  LAB_UPDATE(bits, T, fetch_nand)                                                                  \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* expected, T v, int, int) {   \
    LAB_NOTE_ATOMIC(true);                                                                         \
    return __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* expected, T v, int, int) {     \
    LAB_NOTE_ATOMIC(true);                                                                         \
    return __atomic_compare_exchange_n(a, expected, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
  }                                                                                                \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T expected, T v, int, int) {         \
    LAB_NOTE_ATOMIC(true);                                                                         \
    __atomic_compare_exchange_n(a, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                               \
  }

LAB_ATOMIC(8, std::uint8_t)
LAB_ATOMIC(16, std::uint16_t)
LAB_ATOMIC(32, std::uint32_t)
LAB_ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
