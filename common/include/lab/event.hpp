#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

#include "lab/check.hpp"
#include "lab/stream.hpp"

/// @file
/// Marks in streams, which order work.

namespace lab {

/// A marker in a stream that orders work and carries no time: done once everything queued before it is done.
///
/// Only the last record counts. Before the first one the event is done, and waiting for it orders nothing.
class event {
 public:
  /// Creates it, with timing off.
  /// @throws cuda_error
  event() : event(cudaEventDisableTiming) {}

  /// The handle, which stays ours.
  cudaEvent_t get() const noexcept { return handle_.get(); }

  /// Puts the marker behind everything queued in `stream` so far; returns at once.
  /// @throws cuda_error
  void record(stream_ref stream) { CUDA_CHECK(cudaEventRecord(get(), stream.get())); }

  /// Blocks the calling thread until the event is done.
  /// @throws cuda_error also for work that failed
  void sync() const { CUDA_CHECK(cudaEventSynchronize(get())); }

  /// Whether the event is done; returns at once.
  /// @throws cuda_error also for work that failed
  bool is_done() const {
    const cudaError_t status = cudaEventQuery(get());
    if (status == cudaErrorNotReady) return false;
    CUDA_CHECK(status);
    return true;
  }

 protected:
  /// For an event of another kind: `flags` as cudaEventCreateWithFlags takes them.
  /// @throws cuda_error
  explicit event(unsigned int flags) {
    cudaEvent_t created = nullptr;
    CUDA_CHECK(cudaEventCreateWithFlags(&created, flags));
    handle_.reset(created);
  }

 private:
  struct destroy {
    void operator()(cudaEvent_t event) const noexcept { CUDA_WARN(cudaEventDestroy(event)); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroy> handle_;
};

inline void stream_ref::wait(const event& earlier) const {
  CUDA_CHECK(cudaStreamWaitEvent(stream_, earlier.get(), 0));
}

}  // namespace lab
