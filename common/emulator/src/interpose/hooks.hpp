#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "scheduler.hpp"

namespace lab::trace {
enum class clock_kind;
enum class pause_kind;
}  // namespace lab::trace

/// What the interposed libc functions ask of the rest of the emulator, and how each knows who is running.
///
/// The interposers run before constructors and after main: every hook must work then, with no state that a
/// constructor makes or a destructor destroys. Hooks are called with the baton held (before the scheduler has
/// started: by the only thread). `caller` is the return address of the interposed function: often inside
/// libstdc++.so, so the program's line comes from the shadow stack.
namespace lab::emulator {

/// Whose code runs. The interposers look at it first:
/// - host: the program. Checked, charged, recorded.
/// - kernel: a slice of a kernel. Accesses belong to the kernel; printf is the device's.
/// - runtime: the emulator itself. Everything is plain libc: nothing is checked, charged or recorded, clocks
/// and
///   sleeps are real, locks do not yield and must be free. Memory comes from the same heap.
enum class execution : unsigned char { host, kernel, runtime };

/// Set by whoever enters or leaves; the scheduler keeps it per host thread (and fiber) when it switches.
inline execution executing = execution::host;

/// The emulator's own code for one scope, so that its copies and allocations are nobody's.
class runtime_section {
 public:
  runtime_section() : outer_(executing) { executing = execution::runtime; }
  ~runtime_section() { executing = outer_; }
  runtime_section(const runtime_section&) = delete;
  runtime_section& operator=(const runtime_section&) = delete;

 private:
  execution outer_;
};

/// All device memory lies in here, and nothing else.
inline constexpr std::uintptr_t device_window_begin = 0x200000000000;
inline constexpr std::uintptr_t device_window_end = 0x300000000000;

/// The program's heap (heap.cpp), and the stacks of the threads it starts (threads.cpp).
inline constexpr std::uintptr_t heap_window_begin = 0x100000000000;
inline constexpr std::uintptr_t heap_window_end = 0x110000000000;
inline constexpr std::uintptr_t stack_window_begin = 0x110000000000;
inline constexpr std::uintptr_t stack_window_end = 0x111000000000;

/// Host memory that work of the device may be using lies in here; host code's accesses to it are recorded.
struct address_window {
  std::uintptr_t low = 0;
  std::size_t span = 0;

  bool overlaps(std::uintptr_t begin, std::size_t bytes) const {
    return begin < low + span && begin + bytes > low;
  }
  void widen(std::uintptr_t begin, std::uintptr_t end) {
    const std::uintptr_t high = span == 0 || end > low + span ? end : low + span;
    low = span == 0 || begin < low ? begin : low;
    span = high - low;
  }
};
inline address_window watched_host_memory;

/// The program's files are to stay as they are: this run shows what another schedule would give (files.cpp).
inline bool files_stay = false;

/// All host memory that was ever registered with CUDA lies in here.
inline address_window registered_host_memory;

// --- offered to the rest of the emulator ---

/// Call first in a crash handler, which may have interrupted malloc: opens the heap's lock and drops its
/// (maybe overwritten) free lists, so that allocation works again from fresh memory.
void heap_after_crash();

/// Whether `address` lies in a heap block of 4 MiB or more that has been freed: such memory is
/// inaccessible, so a SIGSEGV there is a use after free. (Smaller freed blocks are only overwritten, with
/// 0xDD.)
bool in_freed_heap_block(const void* address);

/// Runs `program` as thread 0 on a stack of its own at a fixed address, so that addresses of locals do not
/// depend on the environment; returns what it returns. For __wrap_main.
int run_main_on_own_stack(int (*program)(int, char**, char**), int argc, char** argv, char** environment);

// --- asked of the rest of the emulator ---

/// Host code reads or writes [address, address + bytes), which overlaps the device window, through
/// `function`. Returns true to go on with the access (a window within it the host may touch), false to leave
/// it out: the interposed function then returns as if it had done nothing. May also not return.
bool host_range_access(const void* address, std::size_t bytes, bool write, const char* function,
                       const void* caller);

/// Host code reads or writes [address, address + bytes), which overlaps watched_host_memory.
void record_host_access(const void* address, std::size_t bytes, bool write, bool atomic, const void* caller);

/// `function` frees [address, address + bytes), which overlaps registered_host_memory.
void host_frees(const void* address, std::size_t bytes, const char* function, const void* caller);

/// Edges between host threads: what the caller did before it releases an object comes before what follows a
/// later acquire of it. Nothing while there has only been one thread, but for objects in pinned memory.
void host_releases(const void* object);
void host_acquires(const void* object);
/// The same by fences: one that releases does so through what is stored later, one that acquires through what
/// was loaded before, in whatever order.
void host_fences(bool acquires, bool releases);
void host_stores_relaxed(const void* object);
void host_loads_relaxed(const void* object);

/// A kernel reads or writes the range through memcpy and its kin. Does not return when the access is a fault.
void kernel_range_access(const void* address, std::size_t bytes, bool write, const void* caller);

/// Host code moved `bytes` through a library function: its clock moves by the modelled cost. Does not yield.
void charge_bytes(std::size_t bytes);

/// The calling thread read `clock` at trace time `at` and was told `value`.
void record_clock_read(trace::clock_kind clock, time_ns at, time_ns value, const void* caller);

/// The calling thread slept, or waited for another thread, over [begin, end); called when it is over.
void record_host_pause(trace::pause_kind kind, time_ns begin, time_ns end, const void* caller);

/// Before the calling thread makes a call or reads a clock: on an emulated busy machine (load.hpp) it may
/// have to wait first. A loop that does nothing but read clocks has to once at most.
void be_preempted_before_call();
void be_preempted_before_clock_read();

/// Virtual CPU time: the time in which a thread ran or spun, without blocking waits and sleeps.
time_ns thread_cpu_time();
time_ns process_cpu_time();

/// clock() called by a kernel: the device's cycle counter, as clock64().
long device_clock();

/// printf called by a kernel: formats into the device's buffer; returns what the device's printf returns.
int device_printf(const char* format, std::va_list arguments);

/// A kernel called a library function that nvcc would not have let it call (a sleep, a lock). Ends the kernel
/// with a fault, or the process.
[[noreturn]] void kernel_called_host_function(const char* function);

/// The program did something that would crash or corrupt it (double free). `sentence` has no "lab: " and no
/// newline.
[[noreturn]] void report_host_fault(const char* sentence, const void* caller);

/// The program asked for something the emulator does not have; the call then fails as documented. Once per
/// sentence is enough. Returns.
void report_not_emulated(const char* sentence);

/// The process ends now without running exit handlers (_exit, _Exit, quick_exit): the last chance to write
/// the trace.
void process_ending(int status);

}  // namespace lab::emulator
