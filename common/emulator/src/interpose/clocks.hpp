#pragma once

#include <ctime>

#include "scheduler.hpp"

namespace lab::emulator {

/// What the virtual clocks show at trace time 0. CLOCK_MONOTONIC, _RAW, _COARSE and BOOTTIME are one clock.
inline constexpr time_ns monotonic_epoch = 1'000'000'000'000;         ///< 1000 s since boot
inline constexpr time_ns realtime_epoch = 1'767'225'600'000'000'000;  ///< 2026-01-01T00:00:00Z

/// Trace time of a deadline read off `clock`; the only place where a virtual clock becomes trace time. A
/// deadline that no clock of ours reaches is `never`, one that has passed any time up to now().
time_ns trace_time(clockid_t clock, const timespec& deadline);

/// Whether `clock` can be waited for.
bool is_wait_clock(clockid_t clock);

/// Nanoseconds of a relative time, cut off at `never`.
time_ns duration_of(const timespec& relative);

/// now() + duration, cut off at `never`.
time_ns after(time_ns duration);

/// True where POSIX accepts `time` in a timed function; the others answer EINVAL.
inline bool is_valid(const timespec& time) {
  return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

timespec to_timespec(time_ns time);

}  // namespace lab::emulator
