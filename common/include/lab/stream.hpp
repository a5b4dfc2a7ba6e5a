#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <type_traits>

#include "lab/check.hpp"

/// @file
/// Queues of device work. There is no stream from `0`: the default stream has to be meant, so it has to be
/// spelled out (`cudaStreamLegacy`, `cudaStreamPerThread`).

namespace lab {

class event;

/// Somebody else's stream.
class stream_ref {
 public:
  /// Refers to a stream, which has to outlive this.
  stream_ref(cudaStream_t stream) noexcept : stream_(stream) {}
  stream_ref(int) = delete;             ///< there is no stream from `0`
  stream_ref(std::nullptr_t) = delete;  ///< nor from `nullptr`

  /// The handle.
  cudaStream_t get() const noexcept { return stream_; }

  /// Lets all work queued here from now on wait for `earlier`, on the device; returns at once.
  /// Where `earlier` was never recorded, they wait for nothing.
  /// @throws cuda_error
  void wait(const event& earlier) const;

  /// Blocks the calling thread until everything queued so far is done.
  /// @throws cuda_error also for work that failed
  void sync() const { CUDA_CHECK(cudaStreamSynchronize(stream_)); }

  /// Whether everything queued so far is done; returns at once.
  /// @throws cuda_error also for work that failed
  bool is_done() const {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) return false;
    CUDA_CHECK(status);
    return true;
  }

 private:
  cudaStream_t stream_;
};

/// A stream of our own, with no implicit order towards the default stream (`cudaStreamNonBlocking`).
///
/// Destruction returns at once; work still queued completes.
class stream {
 public:
  /// Creates it; returns at once.
  /// @throws cuda_error
  stream() {
    cudaStream_t created = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
    handle_.reset(created);
  }

  /// The handle, which stays ours.
  cudaStream_t get() const noexcept { return handle_.get(); }
  /// For all that takes a stream_ref.
  operator stream_ref() const noexcept { return stream_ref(get()); }

  void wait(const event& earlier) const { stream_ref(*this).wait(earlier); }  ///< see stream_ref::wait
  void sync() const { stream_ref(*this).sync(); }                             ///< see stream_ref::sync
  bool is_done() const { return stream_ref(*this).is_done(); }                ///< see stream_ref::is_done

 private:
  struct destroy {
    void operator()(cudaStream_t stream) const noexcept { CUDA_WARN(cudaStreamDestroy(stream)); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, destroy> handle_;
};

}  // namespace lab
