#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <string>

#include "lab/check.hpp"
#include "lab/workload.hpp"
#include "scenario.hpp"

/// What drivers make around a student's function: streams as a caller may have them, kernels of a known
/// length.
namespace lab::exercise {

/// A stream as a caller may have it: "blocking", "non_blocking", or the "default" one.
class callers_stream {
 public:
  explicit callers_stream(const std::string& kind) {
    if (kind == "default") return;
    const unsigned int flags = kind == "blocking" ? cudaStreamDefault : cudaStreamNonBlocking;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~callers_stream() {
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));  // fails after a fault: no news
  }
  callers_stream(const callers_stream&) = delete;
  callers_stream& operator=(const callers_stream&) = delete;

  cudaStream_t get() const { return stream_; }
  bool is_busy() const { return cudaStreamQuery(stream_) == cudaErrorNotReady; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What lab::spin_for needs to run for so many milliseconds. The first call of a process asks the device for
/// its clock rate, which can take a real one many milliseconds.
inline long long cycles(double ms) {
  double& cycles_per_ms = kept_for_all_runs();
  if (cycles_per_ms == 0) {
    cycles_per_ms = static_cast<double>(lab::cycles_for(std::chrono::seconds(1))) / 1000;
  }
  return static_cast<long long>(ms * cycles_per_ms);
}

}  // namespace lab::exercise
