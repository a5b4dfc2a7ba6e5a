#pragma once

#include <cuda_runtime.h>

#include <chrono>

#include "lab/check.hpp"
#include "lab/stream.hpp"

/// @file
/// Work for the device whose length or result is known beforehand.

namespace lab {

/// Keeps the calling thread of a kernel busy for `cycles` of its multiprocessor's clock. Touches no memory.
__device__ inline void spin_for(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

/// One thread that runs for `cycles`: what launch_spin launches.
static __global__ void spin(long long cycles) {
  spin_for(cycles);
}

/// How many cycles of the current device last for `time`, at the clock rate that the device states. A GPU
/// that runs slower, to save power or to stay cool, takes longer in proportion.
/// @throws cuda_error
inline long long cycles_for(std::chrono::nanoseconds time) {
  int device = 0;
  int clock_khz = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device));
  return static_cast<long long>(std::chrono::duration<double, std::milli>(time).count() * clock_khz);
}

/// Queues a kernel that runs for about `time` on one multiprocessor; returns at once.
/// @throws cuda_error
inline void launch_spin(std::chrono::nanoseconds time, stream_ref stream) {
  spin<<<1, 1, 0, stream.get()>>>(cycles_for(time));
  CUDA_CHECK(cudaGetLastError());
}

/// `sum[i] = a[i] + b[i]` for each of the `count` elements.
static __global__ void vector_add(const float* a, const float* b, float* sum, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) sum[i] = a[i] + b[i];
}

/// Queues `vector_add`; returns at once, also for no elements at all (a launch of zero blocks would be an
/// error).
/// @param a,b,sum device memory, `count` elements each
/// @throws cuda_error
inline void launch_vector_add(const float* a, const float* b, float* sum, int count, stream_ref stream) {
  if (count == 0) return;
  const int block = 256;
  vector_add<<<(count + block - 1) / block, block, 0, stream.get()>>>(a, b, sum, count);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace lab
