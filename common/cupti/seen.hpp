#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <trace/model.hpp>
#include <unordered_map>
#include <vector>

/// What was seen of a program on a real GPU, before it is put together: calls as they came, device times as
/// they came later. Free of CUDA's headers.
namespace lab::cupti {

using address = std::uint64_t;

inline address number(const volatile void* pointer) {
  return reinterpret_cast<address>(pointer);
}

/// What a call of the CUDA API means for the record.
enum class action {
  other,
  launch,
  copy,
  memset,
  record_event,
  wait_event,
  query_event,
  synchronize_event,
  elapsed_time,
  create_event,
  destroy_event,
  create_stream,
  destroy_stream,
  query_stream,
  synchronize_stream,
  synchronize_device,
  reset_device,
  allocate,
  allocate_pinned,
  allocate_managed,
  register_memory,
  free_memory,
  free_pinned,
  unregister_memory,
  allocate_in_stream,
  free_in_stream,
  launch_host_function,
  launch_graph,
  make_graph,  ///< or change it: what the GPU does for that uses no memory of the program's
  begin_capture,
  end_capture,
};

/// Whether such a call, where it succeeds, submits a piece of work.
inline bool submits_work(action what) {
  switch (what) {
    case action::launch:
    case action::copy:
    case action::memset:
    case action::record_event:
    case action::wait_event:
    case action::launch_host_function:
    case action::launch_graph:
    case action::allocate_in_stream:
    case action::free_in_stream:
      return true;
    default:
      return false;
  }
}

/// The handles that name a default stream; any other is a stream of the program's own.
inline constexpr address stream_zero = 0, legacy_stream_handle = 1, per_thread_stream_handle = 2;

struct byte_range {
  address begin = 0;
  std::uint64_t bytes = 0;  ///< 0: up to the end of the allocation
  bool write = false;
  bool assumed = false;  ///< a kernel's parameters allow it, and nothing says more
  bool atomic = false;   ///< a flag, which others may use at the same time
  bool on_host = false;  ///< a copy's in a graph: in host memory
};

/// One call of the runtime API. What it does not have stays 0.
struct seen_call {
  action what = action::other;
  std::string_view name;  ///< as the manual spells it; text of the library's own
  int thread = 0;
  trace::time_ns begin = 0, end = trace::unfinished;
  trace::sequence begun = 0, returned = 0;
  int status = 0;
  std::string_view error;  ///< the name of a status other than success
  std::uint32_t stack = 0;
  bool takes_stream = false;
  bool per_thread = false;  ///< compiled so that stream 0 is the calling thread's own
  address stream = 0, event = 0, stop_event = 0, memory = 0;
  std::uint64_t bytes = 0;
  unsigned flags = 0;
  trace::copy_direction direction = trace::copy_direction::none;
  std::string_view kernel;          ///< the name of a launch's; text that outlives the recording
  bool is_annotated = false;        ///< that kernel's own word says what it touches
  std::vector<byte_range> touches;  ///< what a kernel's pointers, a copy or a set read and write
  std::optional<double> milliseconds;
  std::vector<std::uint32_t> correlations;  ///< the ids under which device times arrive
  address host_function = 0;                ///< names its run in `host_functions`
  address graph = 0;                        ///< the executable one, made anew or launched
  bool is_timed = true;                     ///< the GPU tells times of it; not of a graph without work
  bool is_captured = false;     ///< it went into a graph: it is no work, and no record of an event
  std::string_view not_placed;  ///< what of its effect the record lacks, in words behind its name
};

/// Whether the call is to the default stream that the calling thread has for itself.
inline bool is_to_own_stream(const seen_call& call) {
  return call.stream == per_thread_stream_handle || (call.stream == stream_zero && call.per_thread);
}
inline bool is_to_legacy_stream(const seen_call& call) {
  return call.stream == legacy_stream_handle || (call.stream == stream_zero && !call.per_thread);
}

/// Whether it has this range, of those that it touches, in host memory: a copy, or a graph with one in it.
inline bool is_on_host(const byte_range& range, const seen_call& of) {
  if (range.on_host || of.direction == trace::copy_direction::host_to_host) return true;
  return of.direction ==
         (range.write ? trace::copy_direction::device_to_host : trace::copy_direction::host_to_device);
}

/// Adds the rows of a rectangle of memory, `pitch` bytes from one to the next; those that touch each other
/// are one range.
inline void add_rows(std::vector<byte_range>& to, address first, std::uint64_t pitch, std::uint64_t width,
                     std::uint64_t height, bool write) {
  if (width == 0 || height == 0) return;
  if (pitch == width) {
    to.push_back({first, width * height, write});
    return;
  }
  for (std::uint64_t row = 0; row < height; ++row) to.push_back({first + row * pitch, width, write});
}

/// When the device did what a call asked for. Several pieces of one call count as one.
struct device_time {
  trace::time_ns begin = trace::unfinished, end = trace::unfinished;
};

struct host_function_run {
  int thread = 0;
  device_time when;
  trace::sequence begun = 0, returned = 0;
};

struct seen_clock_read {
  int thread = 0;
  trace::clock_kind clock = trace::clock_kind::monotonic;
  trace::time_ns at = 0, value = 0;
  std::uint32_t stack = 0;
};

struct seen_pause {
  int thread = 0;
  trace::pause_kind kind = trace::pause_kind::slept;
  trace::time_ns begin = 0, end = 0;
  std::uint32_t stack = 0;
};

/// Host code read or wrote [begin, end), once or many times that count as one.
struct seen_host_access {
  int thread = 0;
  trace::sequence when = 0;
  address begin = 0, end = 0;
  std::uint32_t stack = 0;
  bool write = false, atomic = false;
};

/// A `__device__` or `__constant__` variable of the program.
struct seen_variable {
  std::string name;
  address begin = 0;
  std::uint64_t bytes = 0;
  bool constant = false;  ///< kernels only read it
};

struct everything_seen {
  std::string device;  ///< "NVIDIA H200"
  std::deque<seen_call> calls;
  std::vector<std::vector<std::uint64_t>> stacks{
      {}};  ///< code addresses, the innermost first; number 0 is none
  std::unordered_map<std::uint32_t, device_time> device_times;  ///< by correlation id
  std::unordered_map<address, host_function_run> host_functions;
  std::vector<seen_clock_read> clock_reads;
  std::vector<seen_pause> pauses;
  std::vector<seen_host_access> host_accesses;
  std::vector<seen_variable> variables;
  std::string managed_variable;    ///< the name of a `__managed__` one; empty: there is none
  std::set<std::uint32_t> gpus;    ///< the numbers of those that did work
  std::uint64_t lost_records = 0;  ///< device times that CUPTI dropped
  std::string trouble;             ///< why device times are missing altogether; empty: they are not
  std::string ended_because;       ///< why the recorder has ended the program; empty: it has not
  std::uint32_t ended_at = 0;      ///< the stack of what the program did then
  std::string order_not_kept;      ///< why the schedule asked for was not kept up; empty: it was, or none was
};

}  // namespace lab::cupti
