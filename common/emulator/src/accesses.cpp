#include "accesses.hpp"

#include <algorithm>
#include <cstdlib>

#include "grid.hpp"
#include "host_faults.hpp"
#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "kernel_addresses.hpp"
#include "lab_emulator/builtins.hpp"
#include "profile.hpp"
#include "shadow_stack.hpp"

namespace lab::emulator {

namespace {

/// The last accesses of one instruction: first, first + stride, ... , `count` of them, all within [low, low +
/// span].
struct site {
  std::uintptr_t code;
  std::uintptr_t next;
  std::uintptr_t low;
  std::uintptr_t span;
  std::intptr_t stride;
  std::uintptr_t first;
  std::int64_t count;
  touched_bytes* touched;  ///< device and mapped memory, and variables
  bool careful;            ///< reads of memory that is not wholly written: each is looked at
  address_space space;
  std::uint8_t bytes;
  bool write;
};

constexpr unsigned site_bits = 12;
site sites[1 << site_bits];
site* open_sites[1 << site_bits];
int open_count;

// Accesses that may still be made before somebody else gets a turn: the slice's in a kernel, else the host's.
constexpr std::int64_t host_allowance = 4096;
std::int64_t allowance = host_allowance;
std::int64_t host_calls;
std::int64_t slices_ended;

struct {
  access_record* record;
  access_counts counts;
  std::int64_t allowed;
  std::int64_t host_allowance;
  std::int64_t host_calls;
} slice;

struct {
  std::int64_t total;
  std::int64_t picoseconds;  ///< cost not yet on any clock
} host;

site& site_of(std::uintptr_t code) {
  return sites[(code * 0x9E3779B97F4A7C15u) >> (64 - site_bits)];
}

void account(const site& s) {
  const std::int64_t bytes = s.count * s.bytes;
  auto& counts = slice.counts;
  switch (s.space) {
    case address_space::device:
      (s.stride == 0 && s.count > 1 ? counts.repeated_bytes : counts.device_bytes) += bytes;
      break;
    case address_space::mapped:
      counts.mapped_bytes += bytes;
      counts.mapped_accesses += s.count;
      break;
    case address_space::shared:
      counts.shared_bytes += bytes;
      break;
    case address_space::local:
      break;
  }
}

/// Puts the run into the record of the operation.
void mark(const site& s) {
  if (s.touched == nullptr) return;
  byte_set& target = s.write ? s.touched->written : s.touched->read;
  const std::uintptr_t low =
      std::min(s.first, s.first + static_cast<std::uintptr_t>(s.stride * (s.count - 1)));
  const std::size_t begin = low - s.touched->memory->begin;
  const auto stride = static_cast<std::size_t>(std::abs(s.stride));
  if (s.count == 1 || stride == 0) {
    target.insert(begin, begin + s.bytes);
  } else if (stride <= s.bytes) {
    target.insert(begin, begin + stride * static_cast<std::size_t>(s.count - 1) + s.bytes);
  } else {
    for (std::int64_t i = 0; i < s.count; ++i) {
      target.insert(begin + stride * static_cast<std::size_t>(i),
                    begin + stride * static_cast<std::size_t>(i) + s.bytes);
    }
  }
}

void close(site& s) {
  if (s.count == 0) return;
  account(s);
  mark(s);
  s.count = 0;
}

/// Whether the run contains all of [begin, end).
bool covers(const site& s, std::uintptr_t begin, std::uintptr_t end) {
  if (s.count == 0 || s.stride == 0 || std::abs(s.stride) > s.bytes) {
    // with gaps between the elements, or a single one
    if (s.count == 0 || begin < s.low) return false;
    const auto steps = s.stride == 0 ? 0 : static_cast<std::intptr_t>(begin - s.first) / s.stride;
    const std::uintptr_t element = s.first + static_cast<std::uintptr_t>(steps * s.stride);
    return steps >= 0 && steps < s.count && begin >= element && end <= element + s.bytes;
  }
  const std::uintptr_t last = s.first + static_cast<std::uintptr_t>(s.stride * (s.count - 1));
  return begin >= std::min(s.first, last) && end <= std::max(s.first, last) + s.bytes;
}

/// Looks whether anything has written what a kernel reads: something before it, or the kernel itself.
void check_initialised(touched_bytes& touched, std::uintptr_t address, std::size_t bytes,
                       std::uintptr_t code) {
  const std::size_t begin = address - touched.memory->begin;
  const auto missing = touched.memory->written.first_missing(begin, begin + bytes);
  if (!missing || touched.read_uninitialised) return;
  if (!touched.written.first_missing(begin, begin + bytes)) return;
  if (!touched.atomic.first_missing(begin, begin + bytes)) return;
  for (int i = 0; i < open_count; ++i) {
    const site& s = *open_sites[i];
    if (s.write && s.touched == &touched && covers(s, address, address + bytes)) return;
  }
  touched.read_uninitialised = true;
  touched.uninitialised_offset = *missing;
  touched.uninitialised_code = code;
}

void start_run(site& s, std::uintptr_t address) {
  s.first = address;
  s.stride = s.bytes;
  s.next = s.careful ? 0 : address + s.bytes;
  s.count = 1;
  if (s.careful) check_initialised(*s.touched, address, s.bytes, s.code);
}

/// Reads are looked at one by one where some of the memory has never been written.
bool needs_care(const address_range& range, bool write) {
  return !write && range.space == address_space::device && !range.memory->wholly_written();
}

/// The access does not continue its site's run.
__attribute__((noinline)) void irregular(site& s, std::uintptr_t address, std::size_t bytes, bool write,
                                         std::uintptr_t code) {
  runtime_section emulator;
  if (s.code == code && s.bytes == bytes && address - s.low <= s.span && s.count > 0) {
    if (s.count == 1 && !s.careful) {
      s.stride = static_cast<std::intptr_t>(address - s.first);
      s.next = address + static_cast<std::uintptr_t>(s.stride);
      s.count = 2;
      return;
    }
    close(s);
    start_run(s, address);
    return;
  }
  close(s);
  const address_range range =
      classify_kernel_access(address, bytes, write, code);  // does not return for a fault
  if (s.code == 0) open_sites[open_count++] = &s;
  s.code = code;
  s.low = range.begin;
  s.span = range.end - range.begin - bytes;
  s.space = range.space;
  s.touched = range.memory == nullptr ? nullptr : &slice.record->of(*range.memory);
  s.careful = needs_care(range, write);
  s.bytes = static_cast<std::uint8_t>(bytes);
  s.write = write;
  start_run(s, address);
}

__attribute__((noinline)) void allowance_used() {
  if (executing == execution::kernel) {
    running_grid->stop_slice();
  } else if (executing == execution::host) {
    yield();
  }
}

template <std::size_t Bytes, bool Write>
inline __attribute__((always_inline)) void access(const void* pointer, void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto code = reinterpret_cast<std::uintptr_t>(return_address);
  if (executing == execution::kernel) {
    site& s = site_of(code);
    if (s.code == code && address == s.next && address - s.low <= s.span) {
      s.next += static_cast<std::uintptr_t>(s.stride);
      ++s.count;
    } else {
      irregular(s, address, Bytes, Write, code);
    }
  } else if (address - device_window_begin < device_window_end - device_window_begin) {
    host_touched_device(address, Bytes, Write, code);
  } else if (address - watched_host_memory.low < watched_host_memory.span && executing == execution::host) {
    record_host_access(pointer, Bytes, Write, false, return_address);
  }
  if (--allowance < 0) allowance_used();
}

/// In pinned memory a flag, which the host and kernels may read and write at the same time.
template <std::size_t Bytes, bool Write>
void volatile_access(void* pointer, void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto* memory = watched_host_memory.overlaps(address, Bytes) ? memory::containing(address) : nullptr;
  const bool pinned = memory != nullptr && memory->kind != trace::memory_kind::device;
  if (!pinned || executing == execution::runtime) {
    access<Bytes, Write>(pointer, return_address);
    return;
  }
  if (--allowance < 0)
    allowance_used();  // before, so that nobody else comes between this and the access itself
  if (executing == execution::kernel) {
    kernel_flag(address, Bytes, Write, reinterpret_cast<std::uintptr_t>(return_address));
    return;
  }
  record_host_access(pointer, Bytes, Write, true, return_address);
  Write ? host_releases(pointer) : host_acquires(pointer);
}

void access_range(const void* pointer, std::size_t bytes, bool write, void* return_address) {
  const auto code = reinterpret_cast<std::uintptr_t>(return_address);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (executing == execution::kernel) {
    kernel_access(address, bytes, write, code);
  } else if (address - device_window_begin < device_window_end - device_window_begin) {
    host_touched_device(address, bytes, write, code);
  } else if (watched_host_memory.overlaps(address, bytes) && executing == execution::host) {
    record_host_access(pointer, bytes, write, false, return_address);
  }
  if (--allowance < 0) allowance_used();
}

}  // namespace

touched_bytes& access_record::of(allocation& memory) {
  for (auto& touched : all_) {
    if (touched.memory.get() == &memory) return touched;
  }
  all_.emplace_back();
  all_.back().memory = memory.shared_from_this();
  all_.back().read = byte_set(memory.bytes);
  all_.back().written = byte_set(memory.bytes);
  all_.back().atomic = byte_set(memory.bytes);
  all_.back().polled = byte_set(memory.bytes);
  return all_.back();
}

void begin_slice(access_record& record, std::int64_t accesses) {
  slice = {&record, {}, accesses, allowance, host_calls};
  allowance = accesses;
}

void close_runs() {
  for (int i = 0; i < open_count; ++i) {
    close(*open_sites[i]);
    open_sites[i]->code = 0;
  }
  open_count = 0;
}

access_counts end_slice() {
  ++slices_ended;
  close_runs();
  slice.counts.accesses = slice_accesses();
  allowance = slice.host_allowance;
  host_calls = slice.host_calls;
  return slice.counts;
}

std::int64_t slice_accesses() {
  return slice.allowed - allowance;
}

void kernel_access(std::uintptr_t address, std::size_t bytes, bool write, std::uintptr_t code) {
  runtime_section emulator;
  if (bytes == 0) return;
  const address_range range = classify_kernel_access(address, bytes, write, code);
  site once{};
  once.first = address;
  once.bytes = 1;
  once.stride = 1;
  once.count = static_cast<std::int64_t>(bytes);
  once.space = range.space;
  once.write = write;
  once.touched = range.memory == nullptr ? nullptr : &slice.record->of(*range.memory);
  if (needs_care(range, write)) check_initialised(*once.touched, address, bytes, code);
  close(once);
}

void kernel_atomic(std::uintptr_t address, std::size_t bytes, std::uintptr_t code) {
  runtime_section emulator;
  const address_range range = classify_kernel_access(address, bytes, true, code);
  site once{};
  once.bytes = static_cast<std::uint8_t>(bytes);
  once.count = 2;  // the read and the write
  once.space = range.space;
  account(once);
  if (range.memory == nullptr) return;
  touched_bytes& touched = slice.record->of(*range.memory);
  if (needs_care(range, false)) check_initialised(touched, address, bytes, code);
  const std::size_t begin = address - range.memory->begin;
  touched.atomic.insert(begin, begin + bytes);
  if (range.space != address_space::mapped) return;
  kernel_polls_flag(*slice.record, address);
  kernel_sets_flag(*slice.record, address);
}

void kernel_flag(std::uintptr_t address, std::size_t bytes, bool write, std::uintptr_t code) {
  runtime_section emulator;
  const address_range range = classify_kernel_access(address, bytes, write, code);
  site once{};
  once.bytes = static_cast<std::uint8_t>(bytes);
  once.count = 1;
  once.space = range.space;
  account(once);
  touched_bytes& touched = slice.record->of(*range.memory);
  const std::size_t begin = address - range.memory->begin;
  (write ? touched.atomic : touched.polled).insert(begin, begin + bytes);
  if (write) {
    kernel_sets_flag(*slice.record, address);
  } else {
    kernel_polls_flag(*slice.record, address);
  }
}

void charge_host_accesses(host_thread& thread) {
  const std::int64_t accesses = host_allowance - allowance;
  host.picoseconds += accesses * gpu().host_access_ps + host_calls * gpu().host_call_ps;
  host.total += accesses + host_calls;
  thread.clock += host.picoseconds / 1000;
  host.picoseconds %= 1000;
  allowance = host_allowance;
  host_calls = 0;
}

std::int64_t progress() {
  return slices_ended * (most_slice_accesses + 1) - allowance + host.total + host_calls;
}

std::int64_t host_accesses_so_far() {
  return host.total;
}

void spend_access() {
  if (--allowance < 0) allowance_used();
}

}  // namespace lab::emulator

// --- what the compilers call
// -------------------------------------------------------------------------------------------

#define CALLER __builtin_return_address(0)

using namespace lab::emulator;

extern "C" {

void __tsan_init() {}

void __tsan_func_entry(void* caller) {
  shadow_stack* calls = shadow;
  ++host_calls;
  if (calls == nullptr) return;
  if (calls->depth < calls->capacity) calls->frames[calls->depth] = reinterpret_cast<std::uintptr_t>(caller);
  ++calls->depth;
}

void __tsan_func_exit() {
  shadow_stack* calls = shadow;
  if (calls != nullptr && calls->depth > 0) --calls->depth;
}

#define LAB_CALLBACKS(bytes)                                      \
  void __tsan_read##bytes(void* address) {                        \
    access<bytes, false>(address, CALLER);                        \
  }                                                               \
  void __tsan_write##bytes(void* address) {                       \
    access<bytes, true>(address, CALLER);                         \
  }                                                               \
  void __tsan_volatile_read##bytes(void* address) {               \
    volatile_access<bytes, false>(address, CALLER);               \
  }                                                               \
  void __tsan_volatile_write##bytes(void* address) {              \
    volatile_access<bytes, true>(address, CALLER);                \
  }                                                               \
  void __tsan_read_write##bytes(void* address) {                  \
    access<bytes, false>(address, CALLER);                        \
    access<bytes, true>(address, static_cast<char*>(CALLER) + 1); \
  }

LAB_CALLBACKS(1)
LAB_CALLBACKS(2)
LAB_CALLBACKS(4)
LAB_CALLBACKS(8)
LAB_CALLBACKS(16)

// "Unaligned" means that the compiler could not prove the alignment; whether it holds is for the device to
// say.
#define LAB_UNALIGNED_CALLBACKS(bytes)                            \
  void __tsan_unaligned_read##bytes(void* address) {              \
    access<bytes, false>(address, CALLER);                        \
  }                                                               \
  void __tsan_unaligned_write##bytes(void* address) {             \
    access<bytes, true>(address, CALLER);                         \
  }                                                               \
  void __tsan_unaligned_volatile_read##bytes(void* address) {     \
    volatile_access<bytes, false>(address, CALLER);               \
  }                                                               \
  void __tsan_unaligned_volatile_write##bytes(void* address) {    \
    volatile_access<bytes, true>(address, CALLER);                \
  }                                                               \
  void __tsan_unaligned_read_write##bytes(void* address) {        \
    access<bytes, false>(address, CALLER);                        \
    access<bytes, true>(address, static_cast<char*>(CALLER) + 1); \
  }

LAB_UNALIGNED_CALLBACKS(2)
LAB_UNALIGNED_CALLBACKS(4)
LAB_UNALIGNED_CALLBACKS(8)
LAB_UNALIGNED_CALLBACKS(16)

void __tsan_read_range(void* address, std::size_t bytes) {
  access_range(address, bytes, false, CALLER);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  access_range(address, bytes, true, CALLER);
}

void __tsan_vptr_update(void** address, void*) {
  access<8, true>(address, CALLER);
}
void __tsan_vptr_read(void** address) {
  access<8, false>(address, CALLER);
}

void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

// Atomics. The baton already makes them atomic; on the host they are also where another thread may get its
// turn, so that spinning on one makes progress, and edges between threads, as far as their order says so.
enum class atomic_kind { load, store, update };

static bool acquires(int order) {
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
static bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/// A thread that loads the same value again and again waits for it to change: it takes its time, up to 100
/// ns, or the wait would cost more than what is waited for.
void lab_emulator_poll(const volatile void* place, std::size_t bytes) {
  constexpr time_ns most = 100;
  auto& self = *current_thread();
  const std::uint64_t value = bytes == 1   ? *static_cast<const volatile std::uint8_t*>(place)
                              : bytes == 4 ? *static_cast<const volatile std::uint32_t*>(place)
                              : bytes == 8 ? *static_cast<const volatile std::uint64_t*>(place)
                                           : static_cast<std::uint64_t>(now());  // never twice the same
  if (self.polled == place && self.polled_value == value) {
    advance(std::min(cost_of_asking(0), most));
  } else {
    self.asking.answered();
  }
  self.polled = place;
  self.polled_value = value;
}

void lab_emulator_atomic(atomic_kind kind, const volatile void* pointer, std::size_t bytes, int order,
                         void* return_address) {
  const auto place = reinterpret_cast<std::uintptr_t>(pointer);
  auto* address = const_cast<void*>(pointer);
  if (executing == execution::kernel) {
    atomic_access(address, bytes);
    return;
  }
  if (place - device_window_begin < device_window_end - device_window_begin) {
    host_touched_device(place, bytes, true, reinterpret_cast<std::uintptr_t>(return_address));
  }
  --allowance;
  if (kind == atomic_kind::load && executing == execution::host) lab_emulator_poll(address, bytes);
  yield();
  if (executing != execution::host) return;
  if (watched_host_memory.overlaps(place, bytes)) {
    record_host_access(address, bytes, kind != atomic_kind::load, true, return_address);
  }
  if (kind != atomic_kind::store) acquires(order) ? host_acquires(address) : host_loads_relaxed(address);
  if (kind != atomic_kind::load) releases(order) ? host_releases(address) : host_stores_relaxed(address);
}

#define LAB_ATOMIC(bits, T)                                                                            \
  T __tsan_atomic##bits##_load(const volatile T* a, int order) {                                       \
    lab_emulator_atomic(atomic_kind::load, a, sizeof(T), order, CALLER);                               \
    return *a;                                                                                         \
  }                                                                                                    \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int order) {                                    \
    lab_emulator_atomic(atomic_kind::store, a, sizeof(T), order, CALLER);                              \
    *a = v;                                                                                            \
  }                                                                                                    \
  LAB_ATOMIC_UPDATE(bits, T, exchange, v)                                                              \
  LAB_ATOMIC_UPDATE(bits, T, fetch_add, old + v)                                                       \
  LAB_ATOMIC_UPDATE(bits, T, fetch_sub, old - v)                                                       \
  LAB_ATOMIC_UPDATE(bits, T, fetch_and, old& v)                                                        \
  LAB_ATOMIC_UPDATE(bits, T, fetch_or, old | v)                                                        \
  LAB_ATOMIC_UPDATE(bits, T, fetch_xor, old ^ v)                                                       \
  LAB_ATOMIC_UPDATE(bits, T, fetch_nand, ~(old & v))                                                   \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* expected, T v, int order, int) { \
    lab_emulator_atomic(atomic_kind::update, a, sizeof(T), order, CALLER);                             \
    const T old = *a;                                                                                  \
    if (old == *expected) {                                                                            \
      *a = v;                                                                                          \
      return 1;                                                                                        \
    }                                                                                                  \
    *expected = old;                                                                                   \
    return 0;                                                                                          \
  }                                                                                                    \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* expected, T v, int order, int) {   \
    return __tsan_atomic##bits##_compare_exchange_strong(a, expected, v, order, order);                \
  }                                                                                                    \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T expected, T v, int order, int) {       \
    __tsan_atomic##bits##_compare_exchange_strong(a, &expected, v, order, order);                      \
    return expected;                                                                                   \
  }

#define LAB_ATOMIC_UPDATE(bits, T, name, expression)                       \
  T __tsan_atomic##bits##_##name(volatile T* a, T v, int order) {          \
    lab_emulator_atomic(atomic_kind::update, a, sizeof(T), order, CALLER); \
    const T old = *a;                                                      \
    *a = static_cast<T>(expression);                                       \
    return old;                                                            \
  }

LAB_ATOMIC(8, std::uint8_t)
LAB_ATOMIC(16, std::uint16_t)
LAB_ATOMIC(32, std::uint32_t)
LAB_ATOMIC(64, std::uint64_t)
LAB_ATOMIC(128, unsigned __int128)

void __tsan_atomic_thread_fence(int order) {
  host_fences(acquires(order), releases(order));
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
