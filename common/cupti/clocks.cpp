#include <dlfcn.h>
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>

#include "call_sites.hpp"
#include "real.hpp"
#include "recorder.hpp"

/// In front of the C library's clocks and sleeps: the program gets what they say, the record what it got.
namespace lab::cupti {
namespace {

#define CALLER __builtin_return_address(0)

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What libraries and the driver's own threads do is not the program's doing.
bool is_the_programs(const void* caller) {
  return recorder::enabled() && !recorder::inside_cuda() && called_by_program(caller);
}

trace::time_ns count_of(const timespec& time) {
  return static_cast<trace::time_ns>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

trace::clock_kind kind_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return trace::clock_kind::cpu_time;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      return trace::clock_kind::realtime;
    default:
      return trace::clock_kind::monotonic;
  }
}

void note_read(trace::clock_kind clock, trace::time_ns value, const void* caller) {
  if (!is_the_programs(caller)) return;
  recorder::add(seen_clock_read{recorder::thread_number(), clock, recorder::now(), value,
                                recorder::stack_here(caller)});
}

template <class Sleep>
int noted_sleep(const void* caller, Sleep sleep) {
  if (!is_the_programs(caller)) return sleep();
  const auto begin = recorder::now();
  const int result = sleep();
  const int error = errno;
  recorder::add(seen_pause{recorder::thread_number(), trace::pause_kind::slept, begin, recorder::now(),
                           recorder::stack_here(caller)});
  errno = error;
  return result;
}

}  // namespace

namespace real {

int clock_gettime(clockid_t clock, timespec* time) {
  static auto* const function = next<int(clockid_t, timespec*)>("clock_gettime");
  return function(clock, time);
}
int nanosleep(const timespec* wanted, timespec* left) {
  static auto* const function = next<int(const timespec*, timespec*)>("nanosleep");
  return function(wanted, left);
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  static auto* const function = next<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  return function(clock, flags, wanted, left);
}

}  // namespace real
}  // namespace lab::cupti

using namespace lab::cupti;

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = real::clock_gettime(clock, time);
  if (result == 0) note_read(kind_of(clock), count_of(*time), CALLER);
  return result;
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now;
  real::clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  note_read(lab::trace::clock_kind::realtime, count_of(now) / 1000 * 1000, CALLER);
  return 0;
}

time_t time(time_t* seconds) noexcept {
  timespec now;
  real::clock_gettime(CLOCK_REALTIME, &now);
  note_read(lab::trace::clock_kind::realtime, lab::trace::time_ns{now.tv_sec} * 1000000000, CALLER);
  if (seconds != nullptr) *seconds = now.tv_sec;
  return now.tv_sec;
}

clock_t clock() noexcept {
  timespec used;
  real::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  note_read(lab::trace::clock_kind::cpu_time, count_of(used) / 1000 * 1000, CALLER);
  return static_cast<clock_t>(count_of(used) / (1000000000 / CLOCKS_PER_SEC));
}

int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC || real::clock_gettime(CLOCK_REALTIME, time) != 0) return 0;
  note_read(lab::trace::clock_kind::realtime, count_of(*time), CALLER);
  return base;
}

int nanosleep(const timespec* wanted, timespec* left) {
  return noted_sleep(CALLER, [&] { return real::nanosleep(wanted, left); });
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  return noted_sleep(CALLER, [&] { return real::clock_nanosleep(clock, flags, wanted, left); });
}
int usleep(useconds_t microseconds) {
  const timespec wanted{microseconds / 1000000, static_cast<long>(microseconds % 1000000) * 1000};
  return noted_sleep(CALLER, [&] { return real::nanosleep(&wanted, nullptr); });
}
unsigned sleep(unsigned seconds) {
  timespec left{seconds, 0};
  noted_sleep(CALLER, [&] { return real::nanosleep(&left, &left); });
  return 0;
}

}  // extern "C"

// libstdc++'s own would get here too, through clock_gettime, but from inside the library: these know the
// program's line.
namespace std::chrono {
inline namespace _V2 {

__attribute__((used)) steady_clock::time_point steady_clock::now() noexcept {
  timespec time;
  real::clock_gettime(CLOCK_MONOTONIC, &time);
  note_read(lab::trace::clock_kind::monotonic, lab::cupti::count_of(time), CALLER);
  return time_point(duration(lab::cupti::count_of(time)));
}

__attribute__((used)) system_clock::time_point system_clock::now() noexcept {
  timespec time;
  real::clock_gettime(CLOCK_REALTIME, &time);
  note_read(lab::trace::clock_kind::realtime, lab::cupti::count_of(time), CALLER);
  return time_point(duration(lab::cupti::count_of(time)));
}

}  // namespace _V2
}  // namespace std::chrono
