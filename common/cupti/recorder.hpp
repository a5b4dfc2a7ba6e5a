#pragma once

#include <string>

#include "seen.hpp"

/// The recorder in a program on a real GPU: subscribes to CUPTI before main, writes the trace when the
/// program ends.
///
/// What calls and host code do is kept in one place under one lock, what CUPTI brings of the device in
/// another (device_times.hpp); all of it is put together at the end (assemble.hpp).
namespace lab::cupti::recorder {

/// On the trace's clock, which is CLOCK_MONOTONIC from when the program started.
trace::time_ns now();

/// Subscribes, where a trace is wanted.
void start();

/// Whether a trace is wanted: LAB_TRACE_FD names where it goes.
bool enabled();

/// 0 for the main thread, the others in the order in which they first did something that is recorded.
int thread_number();

/// The next number of the order in which host threads do things.
trace::sequence next_in_sequence();

/// The stack of the calling thread, numbered. Takes the lock.
std::uint32_t stack_here(const void* innermost);

void add(const seen_clock_read& read);
void add(const seen_pause& pause);
void add(const seen_host_access& access);
void add(address name, const host_function_run& run);

/// The calling thread is inside the CUDA runtime: what it does there is not the program's doing.
bool inside_cuda();

/// See trace::prepare.
void prepare();

/// Whether the program has done nothing yet that is in the record.
bool is_empty();

/// See trace::begin_another_run.
bool begin_another_run();

/// Writes the trace, once. `complete`: the program ended by itself.
void finish(bool complete);

}  // namespace lab::cupti::recorder
