// A barrier-free kernel of 2^24 threads, exact accesses and all, against a plain loop.

#include <cuda_runtime.h>

#include "pairs.hpp"

__global__ void add(const float* a, const float* b, float* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

int main() {
  constexpr int count = 1 << 24;
  constexpr std::size_t bytes = count * sizeof(float);
  std::vector<float> a(count), b(count), c(count);
  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemset(device_a, 0, bytes);
  cudaMemset(device_b, 0, bytes);
  cudaDeviceSynchronize();
  const auto seen = benchmark::measure_pairs(
      15,
      [&] {
        add<<<count / 256, 256>>>(device_a, device_b, device_c, count);
        cudaDeviceSynchronize();
      },
      [&] { benchmark::plain_add(a.data(), b.data(), c.data(), count); });
  std::printf("vector add of 2^24: kernel %.0f ms, plain loop %.1f ms, ratio %.1f (at most 30)\n",
              seen.first_ms, seen.second_ms, seen.ratio);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
