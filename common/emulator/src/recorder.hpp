#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler.hpp"
#include "trace/model.hpp"
#include "trace/wire.hpp"

/// The trace of this process, gathered in memory and written when the process ends, however it ends.
///
/// Without a reader (no LAB_TRACE_FD) only the counts are kept.
namespace lab::emulator::recorder {

/// Finds out where the trace goes; removes the variable from the environment.
void start();
bool enabled();

/// The code of the program that is running: `return_address` innermost, then the shadow stack.
std::vector<std::uint64_t> frames(const void* return_address);

/// The same, as a call stack of the trace.
trace::wire::stack here(const void* return_address);

// Ids are numbered from 1. The references stay valid.
trace::id add_call(const char* name, time_ns begin, trace::wire::stack stack);
trace::wire::call& call(trace::id id);
trace::id add_operation(trace::operation_kind kind, std::string_view name);
trace::wire::operation& operation(trace::id id);
trace::id add_stream(const trace::wire::stream& stream);
trace::wire::stream& stream(trace::id id);
trace::id add_event(const trace::wire::event& event);
trace::wire::event& event(trace::id id);
trace::id add_allocation(const trace::wire::allocation& allocation);
trace::wire::allocation& allocation(trace::id id);
trace::wire::text text_of(std::string_view text);
void add(const trace::wire::clock_read& read);
void add(const trace::wire::pause& pause);
void add(const trace::wire::access& access);
void add(const trace::wire::host_access& access);
void add(const trace::wire::host_sync& sync);
void add_finding(trace::finding_kind kind, std::string_view message, trace::id operation,
                 trace::wire::stack stack);

/// The next number of the order in which host threads do things.
trace::sequence next_in_sequence();

/// CUDA calls and clock reads so far, recorded or not.
std::int64_t events_so_far();

/// The size of the record so far; 0 where none is kept.
std::size_t bytes();

/// The call in progress on the calling thread, or the last one; 0 before the first.
trace::id current_call();

/// Writes everything to the reader, once. Safe in a signal handler. `complete`: the program ended by itself.
void write(bool complete);

}  // namespace lab::emulator::recorder
