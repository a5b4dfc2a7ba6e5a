#pragma once

#include <string>
#include <string_view>

#include "context.hpp"
#include "device.hpp"
#include "driver_types.h"
#include "handles.hpp"
#include "host_thread.hpp"
#include "interpose/hooks.hpp"
#include "recorder.hpp"

/// The frame of every CUDA call: its place in the trace, its cost, its errors.
namespace lab::emulator {

#define LAB_CALLER __builtin_return_address(0)

/// One call in progress. Recorded with its call site; ends with `returns`.
class api_call {
 public:
  enum class needs { context, nothing };

  api_call(const char* name, time_ns cost, const void* caller, needs what = needs::context);

  const char* name() const { return name_; }
  trace::wire::call& record() { return recorder::call(id_); }

  /// An error that stands before the call does anything: the context has failed, or a host function called.
  cudaError_t refused() const { return refused_; }

  /// Ends the call; failures other than "not ready" become the thread's last error.
  cudaError_t returns(cudaError_t status);

  // Handles and waits, for the body of the call.

  /// nullptr (and `error`) where the handle is none, or destroyed: the latter is said aloud.
  stream_state* stream(cudaStream_t handle);
  CUevent_st* event(cudaEvent_t handle);
  cudaError_t error() const { return error_; }

  /// Blocks the calling thread until all of `work` is done; returns the context's error. Shows what kernels
  /// printed.
  cudaError_t wait_for(const std::vector<operation_ref>& work, bool sleeping = false);
  /// The same where nothing promises that the call waits: what the host then does is watched as if it had
  /// not.
  cudaError_t happen_to_wait_for(const std::vector<operation_ref>& work, bool sleeping = false);

  /// Submits to the stream and notes the operation in the trace.
  void submit(stream_state& stream, const operation_ref& work, const std::vector<operation_ref>& also = {});

 private:
  void finish_first(const operation_ref& work, time_ns limit);
  void report_destroyed(const char* what, std::string_view destroyed_by);
  void report_misuse(const std::string& handle, bool may_crash = true);

  const char* name_;
  const void* caller_;
  trace::id id_;
  execution outer_;
  cudaError_t refused_ = cudaSuccess;
  cudaError_t error_ = cudaSuccess;
};

/// Runs `body(call)` as the CUDA call `name`.
template <class Body>
cudaError_t api(const char* name, time_ns cost, const void* caller, Body body,
                api_call::needs needs = api_call::needs::context) {
  api_call call(name, cost, caller, needs);
  if (call.refused() != cudaSuccess) return call.returns(call.refused());
  return call.returns(body(call));
}

/// A call that gives something back: it does so also where the context has failed, and returns that error
/// then.
template <class Body>
cudaError_t destroying_api(const char* name, time_ns cost, const void* caller, Body body) {
  api_call call(name, cost, caller, api_call::needs::context);
  if (call.refused() == cudaErrorNotPermitted) return call.returns(call.refused());
  const cudaError_t status = body(call);
  return call.returns(call.refused() != cudaSuccess ? call.refused() : status);
}

/// Shows what kernels have printed.
void flush_printed();

}  // namespace lab::emulator
