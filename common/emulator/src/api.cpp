#include "api.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cuda_runtime_api.h"
#include "host_functions.hpp"
#include "host_memory.hpp"
#include "liveness.hpp"
#include "load.hpp"
#include "memory.hpp"
#include "pool.hpp"
#include "profile.hpp"
#include "report.hpp"
#include "schedule.hpp"

namespace lab::emulator {

handles<CUstream_st>& stream_handles() {
  static auto& instance = *new handles<CUstream_st>;
  return instance;
}

handles<CUevent_st>& event_handles() {
  static auto& instance = *new handles<CUevent_st>;
  return instance;
}

void destroy(CUstream_st& stream, const char* call) {
  stream.destroyed_by = call;
  recorder::stream(stream.id).destroyed_by = recorder::current_call();
  device::forget_stream(*stream.state);
}

void destroy(CUevent_st& event, const char* call) {
  event.destroyed_by = call;
  event.record = nullptr;
  recorder::event(event.id).destroyed_by = recorder::current_call();
}

api_call::api_call(const char* name, time_ns cost, const void* caller, needs what)
    : name_(name), caller_(caller), outer_(executing) {
  if (executing == execution::kernel) {
    end_run(trace::finding_kind::not_emulated,
            fmt::format("a kernel called {}: CUDA calls from device code are not emulated.", name).c_str());
  }
  if (executing == execution::host) {
    be_preempted_before_call();
    yield();
  }
  const time_ns begin = now();
  auto& thread = *current_thread();
  executing = execution::runtime;
  host_memory::end_stretch();
  id_ = recorder::add_call(name, begin, recorder::here(caller));
  thread.current_call = id_;
  thread.call_site = caller;
  if (thread.in_host_function && what == needs::context) {
    refused_ = cudaErrorNotPermitted;
    return;
  }
  if (what == needs::context) {
    cost += context_creation();
    refused_ = static_cast<cudaError_t>(sticky_error());
  }
  advance(cost + load::delay());
  if (outer_ == execution::host) {
    executing = execution::host;
    yield();
    executing = execution::runtime;
    if (what == needs::context) refused_ = static_cast<cudaError_t>(sticky_error());
  }
  if (id_ == schedule::failing_call()) refused_ = cudaErrorOperatingSystem;
}

cudaError_t api_call::returns(cudaError_t status) {
  auto& mine = record();
  advance(load::delay());
  mine.end = now();
  mine.returned = recorder::next_in_sequence();
  mine.status = status;
  if (status != cudaSuccess) mine.error = recorder::text_of(cudaGetErrorName(status));
  auto& self = *current_thread();
  const bool failed = status != cudaSuccess && status != cudaErrorNotReady;
  if (failed) self.last_error = status;
  self.failures_in_a_row = failed ? self.failures_in_a_row + 1 : 0;
  check_failures(self, name_);
  if (status != cudaErrorNotReady) self.asking.answered();
  memory::close_device();
  executing = outer_;
  return status;
}

stream_state* api_call::stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) {
    record().stream = trace::legacy_stream;
    return &device::legacy_stream();
  }
  if (handle == cudaStreamPerThread) {
    auto& mine = device::per_thread_stream();
    record().stream = mine.id;
    return &mine;
  }
  error_ = cudaErrorInvalidResourceHandle;
  if (!stream_handles().knows(handle)) {
    report_misuse("a stream that was never created");
    return nullptr;
  }
  record().stream = handle->id;
  if (handle->destroyed_by == nullptr) return handle->state;
  report_destroyed("a stream", handle->destroyed_by);
  return nullptr;
}

CUevent_st* api_call::event(cudaEvent_t handle) {
  error_ = cudaErrorInvalidResourceHandle;
  if (handle == nullptr) return nullptr;  // a real GPU refuses it too, and does not follow it
  if (!event_handles().knows(handle)) {
    report_misuse("an event that was never created");
    return nullptr;
  }
  if (record().event == 0) record().event = handle->id;
  if (handle->destroyed_by == nullptr) return handle;
  report_destroyed("an event", handle->destroyed_by);
  return nullptr;
}

void api_call::report_destroyed(const char* what, std::string_view destroyed_by) {
  // With its context gone a handle is told from garbage; else the driver may follow it anywhere.
  const bool reset = destroyed_by == "cudaDeviceReset";
  if (reset) error_ = cudaErrorContextIsDestroyed;
  report_misuse(fmt::format("{} that {} had destroyed", what, destroyed_by), !reset);
}

void api_call::report_misuse(const std::string& handle, bool may_crash) {
  const std::string sentence = fmt::format("{} was given {}", name_, handle);
  recorder::add_finding(trace::finding_kind::destroyed_handle, sentence, 0, record().stack);
  say(sentence + (may_crash ? "; on a real GPU the program may crash here." : "."),
      recorder::frames(caller_));
}

cudaError_t api_call::wait_for(const std::vector<operation_ref>& work, bool sleeping) {
  const cudaError_t status = happen_to_wait_for(work, sleeping);
  for (const auto& operation : work) host_memory::waited_for(*operation);
  return status;
}

cudaError_t api_call::happen_to_wait_for(const std::vector<operation_ref>& work, bool sleeping) {
  auto& thread = *current_thread();
  const time_ns begin = now();
  const time_ns without_cpu = thread.blocked_total;
  for (const auto& operation : work) {
    while (!operation->done) wait(operation->waiters, name_);
  }
  advance(sleeping ? gpu().blocking_sync_return_ns : gpu().sync_return_ns);
  if (!sleeping) thread.blocked_total = without_cpu;  // the thread spun
  record().blocked += now() - begin;
  flush_printed();
  pool::host_waited();
  return static_cast<cudaError_t>(sticky_error());
}

/// In submission order the host goes on when the work is done. Work that is held back is not waited for,
/// until what it was held for is done: then it is, with all that comes behind it.
void api_call::finish_first(const operation_ref& work, time_ns limit) {
  if (work->behind_hold && device::holds()) return;
  const auto finish = [&](const operation_ref& each) {  // it may wait for what the host does next
    while (!each->done && wait(each->waiters, name_, limit) == wake::notified) {
    }
  };
  const bool held_before = device::holds();
  finish(work);
  if (!held_before || device::holds()) return;
  for (const auto& each : device::everything_pending()) finish(each);
}

void api_call::submit(stream_state& stream, const operation_ref& work,
                      const std::vector<operation_ref>& also) {
  const time_ns begin = now();
  device::submit(stream, work, also);
  if (schedule::by_submission()) {
    finish_first(work, begin + schedule::patience);
    advance(schedule::pause());
  }
  auto& mine = record();
  mine.operation = work->id;
  mine.blocked += now() - begin;  // the wait for room in the queue, if any
}

void flush_printed() {
  std::string& text = device::printed();
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  text.clear();
}

}  // namespace lab::emulator
