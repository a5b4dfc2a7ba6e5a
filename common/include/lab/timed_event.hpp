#pragma once

#include <cuda_runtime.h>

#include <chrono>

#include "lab/check.hpp"
#include "lab/event.hpp"

/// @file
/// Events that keep the time.

namespace lab {

/// An event that the device stamps with its own clock when it gets there. The only one that subtracts.
class timed_event : public event {
 public:
  /// Creates it, with timing on.
  /// @throws cuda_error
  timed_event() : event(cudaEventDefault) {}
};

/// Device time from `start` to `stop`; the resolution is about 0.5 us (manual of cudaEventElapsedTime).
/// Negative where `stop` was reached first.
/// @pre both were recorded, and `stop.is_done()`: nothing here waits
/// @throws cuda_error with cudaErrorNotReady where `stop` is not done
inline std::chrono::nanoseconds operator-(const timed_event& stop, const timed_event& start) {
  float elapsed_ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start.get(), stop.get()));
  return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(elapsed_ms));
}

}  // namespace lab
