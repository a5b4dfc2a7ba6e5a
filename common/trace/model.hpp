#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The record of one run: what the program asked the GPU to do, and what happened when.
///
/// Both devices write it, everything that judges or draws reads it. Times are nanoseconds since the program
/// started, on one clock for host and device. Ids number the objects of one kind in the order of their
/// creation, from 1; 0 means "none" (for a stream: the legacy default stream).
namespace lab::trace {

using time_ns = std::int64_t;
using id = std::uint32_t;

/// When a host thread did something, counted over all threads from 1: calls, what they return, accesses and
/// synchronisation, in the order in which they happened. 0 where it did not.
using sequence = std::uint64_t;

inline constexpr time_ns unfinished = -1;  ///< the end of something that had not ended when the run did
inline constexpr id legacy_stream = 0;

/// A place in the program's source: `file` is relative to the repository where it lies in it.
struct source_location {
  std::string file;
  int line = 0;
  std::string function;
};

/// How a call came about: the innermost frame first. Frames of the emulator itself are left out. Copies share
/// the frames: a program that polls makes millions of calls at one place.
class call_stack {
 public:
  using frames = std::vector<source_location>;

  call_stack() = default;
  call_stack(frames given)
      : frames_(given.empty() ? nullptr : std::make_shared<const frames>(std::move(given))) {}
  call_stack(std::initializer_list<source_location> given) : call_stack(frames(given)) {}

  bool empty() const { return frames_ == nullptr; }
  std::size_t size() const { return all().size(); }
  const source_location& front() const { return all().front(); }
  const source_location& operator[](std::size_t at) const { return all()[at]; }
  frames::const_iterator begin() const { return all().begin(); }
  frames::const_iterator end() const { return all().end(); }
  frames::const_reverse_iterator rbegin() const { return all().rbegin(); }
  frames::const_reverse_iterator rend() const { return all().rend(); }

 private:
  const frames& all() const {
    static const frames none;
    return frames_ == nullptr ? none : *frames_;
  }

  std::shared_ptr<const frames> frames_;
};

/// One call of the CUDA API by a host thread.
struct host_call {
  trace::id id = 0;
  int thread = 0;    ///< 0 is the main thread
  std::string name;  ///< as the manual spells it; a launch is "cudaLaunchKernel"
  time_ns begin = 0;
  time_ns end = unfinished;
  sequence begun = 0;
  sequence returned = 0;  ///< 0: it did not
  time_ns blocked = 0;    ///< the part of [begin, end) in which the thread waited for the device
  int status = 0;         ///< the cudaError_t returned
  std::string error;      ///< its name, "cudaErrorNotReady"; empty for success
  call_stack stack;
  std::optional<trace::id> stream;  ///< the stream named in the call
  trace::id event = 0;              ///< the event named in the call; the start event of an elapsed time
  trace::id stop_event = 0;         ///< the stop event of an elapsed time
  trace::id allocation = 0;         ///< the memory allocated or freed
  trace::id operation = 0;  ///< the device operation submitted; for a wait on an event, the record waited for
  std::optional<double> milliseconds;  ///< the number an elapsed time returned
  trace::id start_record = 0;          ///< the record operation an elapsed time subtracts from `stop_record`
  trace::id stop_record = 0;
};

enum class operation_kind {
  kernel,
  copy,
  memset,
  event_record,
  event_wait,
  host_function,
  allocate,  ///< cudaMallocAsync: from here on the memory may be used, by what comes after it
  free,      ///< cudaFreeAsync: what uses the memory has to come before it
  graph,     ///< a graph launched: all its nodes are one piece of work, in which nothing is judged
};
enum class copy_direction { none, host_to_device, device_to_host, device_to_device, host_to_host };

/// Bytes [begin, end) of an allocation that an operation read or wrote.
struct access_range {
  trace::id allocation = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool write = false;
  bool atomic = false;
  bool assumed = false;  ///< a kernel's parameters let it use these bytes; nobody knows whether it does
};

/// One piece of work in a stream.
struct operation {
  trace::id id = 0;
  operation_kind kind = operation_kind::kernel;
  trace::id stream = legacy_stream;
  std::string name;            ///< of the kernel, else of the kind
  trace::id submitted_by = 0;  ///< the host call
  time_ns submitted = 0;       ///< when the host had handed it over
  time_ns begin = unfinished;  ///< when the device began it
  time_ns end = unfinished;
  bool failed = false;  ///< it, or work before it, faulted
  copy_direction direction = copy_direction::none;
  std::uint64_t bytes = 0;
  trace::id event = 0;      ///< the event recorded or waited for
  trace::id waits_for = 0;  ///< an event_wait: the record operation it was bound to; 0: a wait for nothing. A
                            ///< graph: its launch before this one, which it comes after in any stream
  std::vector<access_range> accesses;
  int thread = 0;      ///< a host_function: the host thread that ran it; a kernel that the host heard from
                       ///< while it ran, or that heard from the host: a number of its own, negative
  sequence begun = 0;  ///< when such an operation began, in the order of host threads; 0: it did not
  sequence returned = 0;
};

struct stream {
  trace::id id = 0;
  bool non_blocking = false;
  trace::id created_by = 0;    ///< 0: the per-thread default stream, which nobody creates or destroys
  trace::id destroyed_by = 0;  ///< 0: leaked
  int thread = 0;              ///< a per-thread default stream: the host thread that has it
};

struct event {
  trace::id id = 0;
  bool timing = true;
  bool blocking_sync = false;
  trace::id created_by = 0;
  trace::id destroyed_by = 0;  ///< 0: leaked
};

enum class memory_kind {
  device,
  pinned,
  registered,
  pageable,  ///< ordinary memory of the program that a copy reads or writes: not allocated through CUDA
  managed,   ///< cudaMallocManaged, on a real GPU: for host and device
};

struct allocation {
  trace::id id = 0;
  memory_kind kind = memory_kind::device;
  std::uint64_t bytes = 0;
  trace::id allocated_by = 0;
  trace::id freed_by = 0;        ///< 0: leaked
  bool in_stream_order = false;  ///< from a memory pool (cudaMallocAsync): freeing it waits for nothing
  std::string name;  ///< of a __device__ or __constant__ variable, which nobody allocates or frees
};

enum class clock_kind { monotonic, realtime, cpu_time };

/// The program read a host clock and was told `value`.
struct clock_read {
  int thread = 0;
  clock_kind clock = clock_kind::monotonic;
  time_ns at = 0;     ///< on the trace's own clock
  time_ns value = 0;  ///< what the program was told
  call_stack stack;
};

enum class pause_kind {
  slept,
  waited_for_thread,
  preempted,  ///< it had to wait while the processor was given to others
};

/// The thread had no processor, and did not ask for the device: a sleep, a wait for another thread, a
/// preemption between two of its calls or clock reads.
struct host_pause {
  int thread = 0;
  pause_kind kind = pause_kind::slept;
  time_ns begin = 0;
  time_ns end = 0;
  call_stack stack;
};

/// Host code read or wrote memory that a piece of work may be using: pinned, registered, or a copy's.
struct host_access {
  int thread = 0;
  trace::sequence when = 0;
  access_range bytes;
  call_stack stack;
};

enum class host_sync_kind { release, acquire };

/// One half of an edge between host threads: what comes before a release of an object comes before what
/// follows a later acquire of it (a mutex, a condition variable, an atomic, the start or end of a thread).
struct host_sync {
  int thread = 0;
  trace::sequence when = 0;
  host_sync_kind kind = host_sync_kind::release;
  trace::id object = 0;
};

enum class finding_kind {
  device_fault,            ///< a kernel's illegal access, trap, failed assert
  host_touched_device,     ///< host code dereferenced device memory
  uninitialised_read,      ///< an operation read device memory that nothing had written
  destroyed_handle,        ///< a call named a stream or event that is destroyed, or never was
  not_emulated,            ///< the program needs something the emulator does not have
  deadlock,                ///< every thread waits, nothing can end it
  budget,                  ///< an endless loop, by the budgets
  crash,                   ///< a signal in host code
  freed_while_registered,  ///< host memory was freed before cudaHostUnregister
  incomplete_record,       ///< some of what the GPU did was lost: the record judges nothing
  not_recorded,            ///< the GPU's times cannot be had here, and why
  order_not_kept,  ///< a schedule was asked for that could not be kept up: the run shows nothing of it
};

/// Something wrong, in one sentence for the student.
struct finding {
  finding_kind kind = finding_kind::crash;
  std::string message;
  trace::id call = 0;
  trace::id operation = 0;
  call_stack stack;
};

struct device {
  std::string name;  ///< "emulated T4, virtual time" or the GPU's own name
  bool emulated = true;
};

struct run {
  trace::device device;
  std::vector<host_call> calls;       ///< by begin
  std::vector<operation> operations;  ///< by submission
  std::vector<stream> streams;
  std::vector<event> events;
  std::vector<allocation> allocations;
  std::vector<clock_read> clock_reads;
  std::vector<host_pause> pauses;
  std::vector<host_access> host_accesses;  ///< by sequence
  std::vector<host_sync> host_syncs;       ///< by sequence
  std::vector<finding> findings;
  bool complete = false;  ///< the program ended by itself; else the record stops where it was stopped
};

}  // namespace lab::trace
