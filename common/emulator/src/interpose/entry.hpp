#pragma once

#include "interpose/hooks.hpp"

namespace lab::emulator {

/// The emulator itself is calling: the interposed function is to do what libc does, and nothing else.
inline bool called_by_runtime() {
  return executing == execution::runtime;
}

/// First thing in every interposed function that has no meaning in a kernel.
inline void host_only(const char* function) {
  if (__builtin_expect(executing == execution::kernel, 0)) kernel_called_host_function(function);
}

/// Modelled costs of what needs no GPU. Orders of magnitude of a current x86-64 Linux machine (vDSO clock
/// read 20 to 30 ns, uncontended lock 10 to 20 ns, system call 100 to 300 ns, thread creation 10 to 20 us),
/// rounded: what counts is that nothing is free, so that a busy-wait makes progress.
inline constexpr time_ns clock_read_cost = 25;
inline constexpr time_ns lock_cost = 20;
inline constexpr time_ns system_call_cost = 200;
inline constexpr time_ns thread_creation_cost = 15'000;

/// Where a library function gives way to whatever is earlier, and then takes its own time.
inline void pass_time(time_ns cost) {
  if (called_by_runtime()) return;
  yield();
  advance(cost);
}

}  // namespace lab::emulator
