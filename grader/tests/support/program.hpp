#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "trace_builder.hpp"

/// A trace made by hand where only the order counts: calls come one after the other, work ends some time
/// later.
class program : public trace_builder {
 public:
  using accesses = std::vector<lab::trace::access_range>;

  // --- objects, each made by a call at `line`

  id stream(bool non_blocking = false, int line = 1) {
    const id made = static_cast<id>(run.streams.size() + 1);
    run.streams.push_back({made, non_blocking, now("cudaStreamCreateWithFlags", line), 0});
    return made;
  }
  /// The per-thread default stream of a thread.
  id default_stream_of(int host_thread) {
    const id made = static_cast<id>(run.streams.size() + 1);
    run.streams.push_back({made, false, 0, 0, host_thread});
    return made;
  }
  id event(int line = 2) {
    const id made = static_cast<id>(run.events.size() + 1);
    run.events.push_back({made, false, false, now("cudaEventCreateWithFlags", line), 0});
    return made;
  }
  id device(std::uint64_t bytes = 4096, int line = 3) {
    return memory(lab::trace::memory_kind::device, "cudaMalloc", bytes, line);
  }
  id pinned(std::uint64_t bytes = 4096, int line = 4) {
    return memory(lab::trace::memory_kind::pinned, "cudaMallocHost", bytes, line);
  }
  id registered(std::uint64_t bytes = 4096, int line = 5) {
    return memory(lab::trace::memory_kind::registered, "cudaHostRegister", bytes, line);
  }
  id pageable(std::uint64_t bytes = 4096) {
    return memory(lab::trace::memory_kind::pageable, nullptr, bytes, 0);
  }
  void free(id memory, int line, const std::string& name = "cudaFree") {
    const id made = now(name, line);
    run.allocations[memory - 1].freed_by = made;
    run.calls[made - 1].allocation = memory;
  }
  /// Device memory of the pool, from where `in` has come to.
  id allocate(id in, int line, std::uint64_t bytes = 4096) {
    const id made = static_cast<id>(run.allocations.size() + 1);
    const id by = work(lab::trace::operation_kind::allocate, "cudaMallocAsync", in, "cudaMallocAsync", line,
                       {writes(made, 0, bytes)});
    const id call = run.operations[by - 1].submitted_by;
    run.calls[call - 1].allocation = made;
    run.allocations.push_back({made, lab::trace::memory_kind::device, bytes, call, 0, true, ""});
    return made;
  }
  id free_async(id memory, id in, int line) {
    const id by = work(lab::trace::operation_kind::free, "cudaFreeAsync", in, "cudaFreeAsync", line,
                       {writes(memory, 0, run.allocations[memory - 1].bytes)});
    run.allocations[memory - 1].freed_by = run.operations[by - 1].submitted_by;
    return by;
  }
  void destroy_event(id which, int line) {
    run.events[which - 1].destroyed_by = now("cudaEventDestroy", line);
  }
  void destroy_stream(id which, int line) {
    run.streams[which - 1].destroyed_by = now("cudaStreamDestroy", line);
  }

  // --- accesses

  static lab::trace::access_range reads(id memory, std::uint64_t begin = 0, std::uint64_t end = 4096) {
    return {memory, begin, end, false, false};
  }
  static lab::trace::access_range writes(id memory, std::uint64_t begin = 0, std::uint64_t end = 4096) {
    return {memory, begin, end, true, false};
  }
  static lab::trace::access_range adds(id memory, std::uint64_t begin = 0, std::uint64_t end = 4096) {
    return {memory, begin, end, true, true};
  }
  void host(const lab::trace::access_range& bytes, int line) {
    run.host_accesses.push_back({thread, ++sequence, bytes, stack(line)});
  }

  // --- work

  id kernel(const std::string& name, id in, int line, accesses touched = {}) {
    return work(lab::trace::operation_kind::kernel, name, in, "cudaLaunchKernel", line, std::move(touched));
  }
  id upload(id in, id to, id from, int line, const std::string& call = "cudaMemcpyAsync") {
    return copy(lab::trace::copy_direction::host_to_device, in, {reads(from), writes(to)}, line, call);
  }
  id download(id in, id to, id from, int line, const std::string& call = "cudaMemcpyAsync") {
    return copy(lab::trace::copy_direction::device_to_host, in, {reads(from), writes(to)}, line, call);
  }
  id copy(lab::trace::copy_direction direction, id in, accesses touched, int line,
          const std::string& call = "cudaMemcpyAsync") {
    const id made = work(lab::trace::operation_kind::copy, "copy", in, call, line, std::move(touched));
    run.operations[made - 1].direction = direction;
    return made;
  }
  id memset(id in, const lab::trace::access_range& bytes, int line,
            const std::string& call = "cudaMemsetAsync") {
    return work(lab::trace::operation_kind::memset, "memset", in, call, line, {bytes});
  }
  /// A graph launched, `before` its launch before this one.
  id graph(id in, int line, accesses touched = {}, id before = 0) {
    const id made =
        work(lab::trace::operation_kind::graph, "graph", in, "cudaGraphLaunch", line, std::move(touched));
    run.operations[made - 1].waits_for = before;
    return made;
  }
  /// The calling thread's call has waited for the work, in this run.
  void was_done_in_call(id work) {
    auto& done = run.operations[work - 1];
    done.end = run.calls[done.submitted_by - 1].end;
  }
  id record(id event, id in, int line) {
    const id made =
        work(lab::trace::operation_kind::event_record, "event record", in, "cudaEventRecord", line);
    run.operations[made - 1].event = event;
    last_record(event) = made;
    return made;
  }
  /// Binds to the last record of the event, as the runtime does.
  id wait(id in, id event, int line) {
    const id made =
        work(lab::trace::operation_kind::event_wait, "event wait", in, "cudaStreamWaitEvent", line);
    run.operations[made - 1].event = event;
    run.operations[made - 1].waits_for = last_record(event);
    return made;
  }
  id host_function(id in, int line, accesses touched = {}) {
    return work(lab::trace::operation_kind::host_function, "host function", in, "cudaLaunchHostFunc", line,
                std::move(touched));
  }
  /// The function runs here, in the order of threads; `body` is what it does.
  template <class Body>
  void runs(id function, int on_thread, Body body) {
    const int caller = std::exchange(thread, on_thread);
    run.operations[function - 1].thread = on_thread;
    run.operations[function - 1].begun = ++sequence;
    body();
    run.operations[function - 1].returned = ++sequence;
    thread = caller;
  }

  // --- what the host learns

  void device_sync(int line) { now("cudaDeviceSynchronize", line); }
  void stream_sync(id which, int line) { run.calls[now("cudaStreamSynchronize", line) - 1].stream = which; }
  void stream_query(id which, bool done, int line) {
    run.calls[answered("cudaStreamQuery", done, line) - 1].stream = which;
  }
  void event_sync(id which, int line) { about_event(now("cudaEventSynchronize", line), which); }
  void event_query(id which, bool done, int line) {
    about_event(answered("cudaEventQuery", done, line), which);
  }
  void elapsed_time(id start, id stop, bool done, int line) {
    auto& made = run.calls[answered("cudaEventElapsedTime", done, line) - 1];
    made.event = start;
    made.stop_event = stop;
    made.start_record = last_record(start);
    made.stop_record = last_record(stop);
  }
  void other_call(const std::string& name, int line) { now(name, line); }

  // --- threads

  void release(id object) {
    run.host_syncs.push_back({thread, ++sequence, lab::trace::host_sync_kind::release, object});
  }
  void acquire(id object) {
    run.host_syncs.push_back({thread, ++sequence, lab::trace::host_sync_kind::acquire, object});
  }

 private:
  id now(const std::string& name, int line) {
    ms_ += 0.01;
    return call(name, ms_, ms_ + 0.005, line);
  }
  id answered(const std::string& name, bool done, int line) {
    const id made = now(name, line);
    run.calls[made - 1].status = done ? 0 : 600;
    if (!done) run.calls[made - 1].error = "cudaErrorNotReady";
    return made;
  }
  void about_event(id call, id event) {
    run.calls[call - 1].event = event;
    run.calls[call - 1].operation = last_record(event);
  }
  id memory(lab::trace::memory_kind kind, const char* call, std::uint64_t bytes, int line) {
    const id made = static_cast<id>(run.allocations.size() + 1);
    run.allocations.push_back({made, kind, bytes, call == nullptr ? 0 : now(call, line), 0, false, ""});
    return made;
  }
  id work(lab::trace::operation_kind kind, const std::string& name, id in, const std::string& call, int line,
          accesses touched = {}) {
    const id submitting = now(call, line);
    const id made = add(kind, name, in, ms_, ms_ + 1000, ms_ + 1001, submitting);
    run.operations[made - 1].accesses = std::move(touched);
    return made;
  }
  id& last_record(id event) {
    if (records_.size() <= event) records_.resize(event + 1);
    return records_[event];
  }

  double ms_ = 0;
  std::vector<id> records_;
};
