// 2^20 launches of an empty kernel.

#include <cuda_runtime.h>

#include "pairs.hpp"

__global__ void nothing() {}

int main() {
  constexpr int count = 1 << 20;
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  const double start = benchmark::cpu_ms();
  for (int i = 0; i < count; ++i) nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  const double end = benchmark::cpu_ms();
  std::printf("2^20 empty launches: %.2f s, %.2f us each (at most 5 s)\n", (end - start) / 1e3,
              (end - start) * 1e3 / count);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
