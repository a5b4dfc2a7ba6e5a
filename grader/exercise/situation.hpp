#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "lab/check.hpp"
#include "lab/kernel_uses.hpp"
#include "lab/workload.hpp"
#include "scenario.hpp"

/// What somebody_elses_work launches. On a real GPU it ends when `over`, in host memory, is no longer 0;
/// memory that nobody else uses and that orders nothing, so it is none of what a record is about.
static __global__ void unrelated_work(long long cycles, [[maybe_unused]] const int* over) {
#ifdef __CUDA_ARCH__
  const volatile int* asked_to_end = over;
  const long long start = clock64();
  while (clock64() - start < cycles && *asked_to_end == 0) {
  }
#else
  lab::spin_for(cycles);
#endif
}
KERNEL_USES(unrelated_work, (long long cycles, const int* over), );

/// What drivers make around a student's function: streams as a caller may have them, kernels of a known
/// length, work of somebody else's.
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

/// A kernel named unrelated_work, in some stream, that the student's function has nothing to do with. It runs
/// for `ms`, or, on a real GPU, until the driver has seen whether the function came back before it: so `ms`
/// may be far more than a right function needs on a busy machine, and only what waits for it wrongly takes so
/// long. Where the two devices are compared it runs for `ms` on both.
class somebody_elses_work {
 public:
  somebody_elses_work() = default;
  ~somebody_elses_work() {
    end();
    if (over_on_device_ != nullptr)
      static_cast<void>(cudaHostUnregister(over_.get()));  // fails after a fault
  }
  somebody_elses_work(const somebody_elses_work&) = delete;
  somebody_elses_work& operator=(const somebody_elses_work&) = delete;

  /// Queues it, once; returns at once.
  void launch(double ms, cudaStream_t stream) {
    // Registered, not allocated by CUDA: it can be written to also when a cudaDeviceReset has come between.
    CUDA_CHECK(cudaHostRegister(over_.get(), page, cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&over_on_device_, over_.get(), 0));
    unrelated_work<<<1, 1, 0, stream>>>(cycles(ms), over_on_device_);
    CUDA_CHECK(cudaGetLastError());
  }
  /// Nobody asks any more whether it still runs. Returns at once.
  void end() {
    if (std::getenv("LAB_COMPARE_DEVICES") == nullptr) *static_cast<volatile int*>(over_.get()) = 1;
  }

 private:
  static constexpr std::size_t page = 4096;  // of its own: others may register theirs
  struct release {
    void operator()(int* memory) const { std::free(memory); }
  };
  std::unique_ptr<int, release> over_{new (std::aligned_alloc(page, page)) int(0)};
  int* over_on_device_ = nullptr;
};

}  // namespace lab::exercise
