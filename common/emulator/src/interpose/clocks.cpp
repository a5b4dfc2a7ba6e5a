#include "interpose/clocks.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "interpose/entry.hpp"
#include "interpose/syscalls.hpp"
#include "trace/model.hpp"

/// Every clock a program can read through libc is virtual. (`__rdtsc()` is an instruction and cannot be
/// interposed: it shows real time. std::random_device stays random.)
namespace lab::emulator {

namespace {

constexpr time_ns second = 1'000'000'000;
constexpr time_ns microsecond = second / CLOCKS_PER_SEC;

enum class source { monotonic, realtime, process_cpu, thread_cpu, none };

source source_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return source::monotonic;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return source::realtime;
    case CLOCK_PROCESS_CPUTIME_ID:
      return source::process_cpu;
    case CLOCK_THREAD_CPUTIME_ID:
      return source::thread_cpu;
    default:
      return source::none;
  }
}

/// The coarse clocks tick with the kernel's timer interrupt, 250 times a second on Debian and Ubuntu.
time_ns tick_of(clockid_t clock) {
  return clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_REALTIME_COARSE ? second / 250 : 1;
}

/// One read of a clock: lets the others catch up, costs its time, is recorded, and yields the value: whole
/// ticks.
time_ns read_clock(source from, const void* caller, time_ns tick = 1) {
  be_preempted_before_clock_read();
  yield();
  advance(cost_of_asking(clock_read_cost));
  const time_ns at = now();
  const auto shown = [&](trace::clock_kind kind, time_ns value) {
    value -= value % tick;
    record_clock_read(kind, at, value, caller);
    return value;
  };
  switch (from) {
    case source::realtime:
      return shown(trace::clock_kind::realtime, realtime_epoch + at);
    case source::process_cpu:
      return shown(trace::clock_kind::cpu_time, process_cpu_time());
    case source::thread_cpu:
      return shown(trace::clock_kind::cpu_time, thread_cpu_time());
    default:
      return shown(trace::clock_kind::monotonic, monotonic_epoch + at);
  }
}

timeval to_timeval(time_ns time) {
  return {time / second, time % second / 1000};
}

}  // namespace

timespec to_timespec(time_ns time) {
  return {time / second, time % second};
}

time_ns duration_of(const timespec& relative) {
  if (relative.tv_sec >= never / second - 1) return never;
  return relative.tv_sec * second + relative.tv_nsec;
}

time_ns after(time_ns duration) {
  const time_ns start = now();
  return duration >= never - start ? never : start + duration;
}

bool is_wait_clock(clockid_t clock) {
  return source_of(clock) == source::monotonic || source_of(clock) == source::realtime;
}

time_ns trace_time(clockid_t clock, const timespec& deadline) {
  const time_ns epoch = source_of(clock) == source::realtime ? realtime_epoch : monotonic_epoch;
  if (deadline.tv_sec < 0) return 0;
  const time_ns shown = duration_of(deadline);
  if (shown == never) return never;
  return shown <= epoch ? 0 : shown - epoch;
}

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  if (called_by_runtime()) {
    return static_cast<int>(
        libc_result(raw_syscall(SYS_clock_gettime, clock, reinterpret_cast<long>(result))));
  }
  host_only("clock_gettime");
  const source from = source_of(clock);
  if (from == source::none) {
    errno = EINVAL;
    return -1;
  }
  *result = to_timespec(read_clock(from, __builtin_return_address(0), tick_of(clock)));
  return 0;
}

int clock_getres(clockid_t clock, timespec* result) noexcept {
  if (source_of(clock) == source::none) {
    errno = EINVAL;
    return -1;
  }
  if (result != nullptr) *result = to_timespec(tick_of(clock));
  return 0;
}

int gettimeofday(timeval* result, void* zone) noexcept {
  if (called_by_runtime()) {
    return static_cast<int>(libc_result(
        raw_syscall(SYS_gettimeofday, reinterpret_cast<long>(result), reinterpret_cast<long>(zone))));
  }
  host_only("gettimeofday");
  const time_ns value = read_clock(source::realtime, __builtin_return_address(0), microsecond);
  *result = to_timeval(value);
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {0, 0};
  return 0;
}

time_t time(time_t* result) noexcept {
  if (called_by_runtime()) return raw_syscall(SYS_time, reinterpret_cast<long>(result));
  host_only("time");
  const time_t value = read_clock(source::realtime, __builtin_return_address(0), second) / second;
  if (result != nullptr) *result = value;
  return value;
}

int timespec_get(timespec* result, int base) noexcept {
  host_only("timespec_get");
  if (base != TIME_UTC) return 0;
  *result = to_timespec(read_clock(source::realtime, __builtin_return_address(0)));
  return base;
}

/// In a kernel this name is the device's cycle counter, in host code the process's CPU time in microseconds.
clock_t clock() noexcept {
  if (executing == execution::kernel) return device_clock();
  if (called_by_runtime()) {
    timespec used{};
    raw_syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, reinterpret_cast<long>(&used));
    return duration_of(used) / microsecond;
  }
  return read_clock(source::process_cpu, __builtin_return_address(0), microsecond) / microsecond;
}

clock_t times(tms* result) noexcept {
  host_only("times");
  const void* caller = __builtin_return_address(0);
  const time_ns tick = second / sysconf(_SC_CLK_TCK);
  if (result != nullptr) *result = {read_clock(source::process_cpu, caller, tick) / tick, 0, 0, 0};
  return read_clock(source::monotonic, caller, tick) / tick;
}

/// CPU times are virtual; the rest (memory, faults) is the real process's.
int getrusage(__rusage_who_t who, rusage* result) noexcept {
  const long raw = raw_syscall(SYS_getrusage, static_cast<long>(who), reinterpret_cast<long>(result));
  if (raw != 0 || called_by_runtime() || who == RUSAGE_CHILDREN) return static_cast<int>(libc_result(raw));
  host_only("getrusage");
  const source from = who == RUSAGE_THREAD ? source::thread_cpu : source::process_cpu;
  result->ru_utime = to_timeval(read_clock(from, __builtin_return_address(0)));
  result->ru_stime = {0, 0};
  return 0;
}

/// The caller's clocks only: another thread's CPU time has no virtual counterpart here.
int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  if (!pthread_equal(thread, pthread_self())) return ESRCH;
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}

}  // extern "C"

// libstdc++'s own would get here too, through clock_gettime, but from inside the library: these know the
// program's line.
namespace std::chrono {
inline namespace _V2 {

__attribute__((used)) steady_clock::time_point steady_clock::now() noexcept {
  if (called_by_runtime()) {
    timespec real{};
    raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&real));
    return time_point(duration(duration_of(real)));
  }
  host_only("std::chrono::steady_clock::now");
  return time_point(duration(read_clock(source::monotonic, __builtin_return_address(0))));
}

__attribute__((used)) system_clock::time_point system_clock::now() noexcept {
  if (called_by_runtime()) {
    timespec real{};
    raw_syscall(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&real));
    return time_point(duration(duration_of(real)));
  }
  host_only("std::chrono::system_clock::now");
  return time_point(duration(read_clock(source::realtime, __builtin_return_address(0))));
}

}  // namespace _V2
}  // namespace std::chrono
