#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/syscalls.hpp"
#include "interpose/waiting.hpp"
#include "trace/model.hpp"

/// Sleeps, and the waits for file descriptors that serve as sleeps.
namespace lab::emulator {

namespace {

/// Sleeps to `deadline` in virtual time and records it. A sleep of no length is still a system call.
void sleep_recorded(time_ns deadline, const void* caller) {
  const time_ns begin = now();
  if (deadline == never) {
    wait_queue nobody;
    wait(nobody, "a signal");
  } else if (deadline > begin) {
    sleep_until(deadline);
  }
  record_host_pause(trace::pause_kind::slept, begin, now(), caller);
}

/// Looks at file descriptors through `look` (which must not block) until one is ready or `deadline` has come,
/// and lets virtual time pass between the looks: another thread may be the one to write.
template <typename Look>
long watch(time_ns deadline, bool any_descriptors, const void* caller, Look look) {
  if (!any_descriptors) {
    sleep_recorded(deadline, caller);
    return 0;
  }
  const time_ns begin = now();
  time_ns step = 10'000;
  for (;;) {
    const long ready = look();
    if (ready != 0 || now() >= deadline) {
      if (now() > begin) record_host_pause(trace::pause_kind::slept, begin, now(), caller);
      return ready;
    }
    sleep_until(std::min(deadline, after(step)));
    step = std::min<time_ns>(step * 2, 1'000'000);
  }
}

/// The end of a wait that begins with this system call.
time_ns deadline_after(time_ns duration) {
  pass_time(system_call_cost);
  return after(duration);
}

time_ns deadline_after_milliseconds(int milliseconds) {
  return deadline_after(milliseconds < 0 ? never : milliseconds * time_ns{1'000'000});
}

constexpr timespec at_once{0, 0};
constexpr long signal_set_bytes = 8;

long address(const volatile void* pointer) {
  return reinterpret_cast<long>(const_cast<const void*>(pointer));
}

bool names_descriptors(int count, const fd_set* set) {
  for (int descriptor = 0; set != nullptr && descriptor < count; ++descriptor) {
    if (FD_ISSET(descriptor, set)) return true;
  }
  return false;
}

/// select() overwrites its sets, so each look works on copies.
int watch_sets(int count, fd_set* reads, fd_set* writes, fd_set* others, time_ns deadline,
               const void* caller) {
  const bool any =
      names_descriptors(count, reads) || names_descriptors(count, writes) || names_descriptors(count, others);
  fd_set* const sets[] = {reads, writes, others};
  fd_set copies[3];
  const long ready = watch(deadline, any, caller, [&] {
    for (int i = 0; i < 3; ++i) {
      if (sets[i] != nullptr) copies[i] = *sets[i];
    }
    timespec none = at_once;
    return raw_syscall(SYS_pselect6, count, sets[0] == nullptr ? 0 : address(&copies[0]),
                       sets[1] == nullptr ? 0 : address(&copies[1]),
                       sets[2] == nullptr ? 0 : address(&copies[2]), address(&none), 0);
  });
  if (ready < 0) return static_cast<int>(libc_result(ready));
  for (int i = 0; i < 3; ++i) {
    if (sets[i] == nullptr) continue;
    if (any) {
      *sets[i] = copies[i];
    } else {
      FD_ZERO(sets[i]);
    }
  }
  return static_cast<int>(ready);
}

int sleep_by_clock(clockid_t clock, int flags, const timespec& request, const void* caller) {
  if (!is_valid(request)) return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  if (!absolute && request.tv_sec < 0) return EINVAL;
  if (!is_wait_clock(clock)) return EINVAL;
  pass_time(system_call_cost);
  sleep_recorded(absolute ? trace_time(clock, request) : after(duration_of(request)), caller);
  return 0;
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

int nanosleep(const timespec* request, timespec* remaining) {
  if (called_by_runtime()) {
    return static_cast<int>(libc_result(raw_syscall(SYS_nanosleep, address(request), address(remaining))));
  }
  host_only("nanosleep");
  const int error = sleep_by_clock(CLOCK_MONOTONIC, 0, *request, __builtin_return_address(0));
  if (error == 0) {
    if (remaining != nullptr) *remaining = {0, 0};
    return 0;
  }
  errno = error;
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* remaining) {
  if (called_by_runtime()) {
    return static_cast<int>(
        -raw_syscall(SYS_clock_nanosleep, clock, flags, address(request), address(remaining)));
  }
  host_only("clock_nanosleep");
  return sleep_by_clock(clock, flags, *request, __builtin_return_address(0));
}

int usleep(useconds_t microseconds) {
  host_only("usleep");
  sleep_recorded(deadline_after(microseconds * time_ns{1000}), __builtin_return_address(0));
  return 0;
}

unsigned sleep(unsigned seconds) {
  host_only("sleep");
  sleep_recorded(deadline_after(seconds * time_ns{1'000'000'000}), __builtin_return_address(0));
  return 0;
}

int pause() {
  host_only("pause");
  pass_time(system_call_cost);
  sleep_recorded(never, __builtin_return_address(0));
  errno = EINTR;
  return -1;
}

int sched_yield() noexcept {
  host_only("sched_yield");
  if (called_by_runtime()) return static_cast<int>(libc_result(raw_syscall(SYS_sched_yield)));
  advance(system_call_cost);
  yield();
  return 0;
}

int poll(pollfd* descriptors, nfds_t count, int timeout) {
  const auto look = [=] {
    timespec none = at_once;
    return raw_syscall(SYS_ppoll, address(descriptors), static_cast<long>(count), address(&none));
  };
  if (called_by_runtime()) {
    return static_cast<int>(
        libc_result(raw_syscall(SYS_poll, address(descriptors), static_cast<long>(count), timeout)));
  }
  host_only("poll");
  return static_cast<int>(
      libc_result(watch(deadline_after_milliseconds(timeout), count > 0, __builtin_return_address(0), look)));
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  host_only("ppoll");
  const time_ns deadline = deadline_after(timeout == nullptr ? never : duration_of(*timeout));
  return static_cast<int>(libc_result(watch(deadline, count > 0, __builtin_return_address(0), [=] {
    timespec none = at_once;
    return raw_syscall(SYS_ppoll, address(descriptors), static_cast<long>(count), address(&none),
                       address(mask), signal_set_bytes);
  })));
}

int select(int count, fd_set* reads, fd_set* writes, fd_set* others, timeval* timeout) {
  host_only("select");
  const time_ns deadline =
      deadline_after(timeout == nullptr ? never : duration_of({timeout->tv_sec, timeout->tv_usec * 1000}));
  return watch_sets(count, reads, writes, others, deadline, __builtin_return_address(0));
}

int pselect(int count, fd_set* reads, fd_set* writes, fd_set* others, const timespec* timeout,
            const sigset_t*) {
  host_only("pselect");
  const time_ns deadline = deadline_after(timeout == nullptr ? never : duration_of(*timeout));
  return watch_sets(count, reads, writes, others, deadline, __builtin_return_address(0));
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  host_only("epoll_wait");
  return static_cast<int>(
      libc_result(watch(deadline_after_milliseconds(timeout), true, __builtin_return_address(0),
                        [=] { return raw_syscall(SYS_epoll_wait, epoll, address(events), most, 0); })));
}

int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  host_only("epoll_pwait");
  return static_cast<int>(
      libc_result(watch(deadline_after_milliseconds(timeout), true, __builtin_return_address(0), [=] {
        return raw_syscall(SYS_epoll_pwait, epoll, address(events), most, 0, address(mask), signal_set_bytes);
      })));
}

}  // extern "C"
