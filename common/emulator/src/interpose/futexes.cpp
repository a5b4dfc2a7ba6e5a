#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <ctime>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/syscalls.hpp"
#include "interpose/waiting.hpp"

/// syscall(): what libstdc++ waits through for std::future, the initialisation of local statics, and C++20's
/// atomic wait, semaphores, latches and barriers. Waits and clocks become virtual, new processes are refused,
/// everything else goes to the kernel.
namespace lab::emulator {

namespace {

constexpr const char* waited_for =
    "another thread's result (a future, an atomic, or the initialisation of a static variable)";

/// FUTEX_WAIT counts from now, FUTEX_WAIT_BITSET on a clock.
time_ns deadline_of(int operation, const timespec* timeout) {
  if (timeout == nullptr) return never;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) return after(duration_of(*timeout));
  return trace_time((operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, *timeout);
}

long futex_wait(const int* word, int operation, int expected, const timespec* timeout, const void* caller) {
  pass_time(system_call_cost);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected) return -EAGAIN;
  const time_ns deadline = deadline_of(operation, timeout);
  if (deadline <= now()) return -ETIMEDOUT;
  recorded_wait record(caller);
  if (wait_at(word, waited_for, deadline) == wake::timed_out) return -ETIMEDOUT;
  host_acquires(word);
  return 0;
}

long futex(const int* word, int operation, int value, const timespec* timeout, const void* caller) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return futex_wait(word, operation, value, timeout, caller);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      pass_time(0);
      host_releases(word);
      const int woken = wake_some(word, value);
      advance(system_call_cost);  // behind it: who was woken goes on before the caller does
      return woken;
    }
    default:
      report_not_emulated(
          "this futex operation is not emulated; use std::mutex and std::condition_variable.");
      return -ENOSYS;
  }
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (called_by_runtime()) return libc_result(raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]));
  host_only("syscall");

  switch (number) {
    case SYS_futex:
      return libc_result(futex(reinterpret_cast<const int*>(a[0]), static_cast<int>(a[1]),
                               static_cast<int>(a[2]), reinterpret_cast<const timespec*>(a[3]),
                               __builtin_return_address(0)));
    case SYS_clock_gettime:
      return clock_gettime(static_cast<clockid_t>(a[0]), reinterpret_cast<timespec*>(a[1]));
    case SYS_nanosleep:
      return nanosleep(reinterpret_cast<const timespec*>(a[0]), reinterpret_cast<timespec*>(a[1]));
    case SYS_clock_nanosleep:
      return libc_result(-clock_nanosleep(static_cast<clockid_t>(a[0]), static_cast<int>(a[1]),
                                          reinterpret_cast<const timespec*>(a[2]),
                                          reinterpret_cast<timespec*>(a[3])));
    case SYS_sched_yield:
      pass_time(system_call_cost);
      return 0;
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3:
    case SYS_execve:
    case SYS_execveat:
      report_not_emulated("a program cannot start other processes under the emulated GPU.");
      return libc_result(-EAGAIN);
    case SYS_kill:
      return kill(static_cast<pid_t>(a[0]), static_cast<int>(a[1]));
    case SYS_exit_group:
      process_ending(static_cast<int>(a[0]));
      break;
    default:
      break;
  }
  return libc_result(raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}
