// One kernel of 5 ms behind one of 40 ms, by three timers. Only relations are printed: times differ between
// GPUs.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>

#include "lab/check.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;
using milliseconds = std::chrono::duration<double, std::milli>;

int main() {
  const lab::stream stream;
  cudaEvent_t start;
  cudaEvent_t stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  lab::launch_spin(1ms, stream);  // warm-up: the first launch loads the kernel
  lab::launch_spin(40ms, stream);

  const auto submitting = steady::now();
  lab::launch_spin(5ms, stream);
  const milliseconds submitted = steady::now() - submitting;  // the launch alone: says nothing of the kernel

  CUDA_CHECK(cudaStreamSynchronize(stream.get()));  // somebody else's work is out of the way
  const auto begin = steady::now();
  CUDA_CHECK(cudaEventRecord(start, stream.get()));
  lab::launch_spin(5ms, stream);
  CUDA_CHECK(cudaEventRecord(stop, stream.get()));
  CUDA_CHECK(cudaEventSynchronize(stop));
  const milliseconds waited = steady::now() - begin;  // what somebody who waits for it waits
  float device_ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&device_ms, start, stop));  // what the device needs for it

  std::printf("submit < 1 ms: %s\n", submitted < 1ms ? "yes" : "no");
  std::printf("5 ms <= events <= host clock < 6 ms: %s\n",
              4.99F <= device_ms && device_ms <= waited.count() && waited < 6ms ? "yes" : "no");
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaEventDestroy(start));
}
