// What it costs that kernels run in slices: two kernels at once against the same two one after the other.

#include <cuda_runtime.h>

#include "pairs.hpp"

__global__ void scale(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= 0.5f;
}

int main() {
  constexpr int count = 1 << 22;
  float* data[2];
  cudaStream_t streams[2];
  for (int s = 0; s < 2; ++s) {
    cudaMalloc(&data[s], count * sizeof(float));
    cudaMemset(data[s], 0, count * sizeof(float));
    cudaStreamCreate(&streams[s]);
  }
  cudaDeviceSynchronize();
  const auto run = [&](cudaStream_t first, cudaStream_t second) {
    scale<<<count / 256, 256, 0, first>>>(data[0], count);
    scale<<<count / 256, 256, 0, second>>>(data[1], count);
    cudaDeviceSynchronize();
  };
  const auto seen = benchmark::measure_pairs(
      15, [&] { run(streams[0], streams[1]); }, [&] { run(streams[0], streams[0]); });
  std::printf("two kernels of 2^22 threads: at once %.0f ms, one after the other %.0f ms, ratio %.2f\n",
              seen.first_ms, seen.second_ms, seen.ratio);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
