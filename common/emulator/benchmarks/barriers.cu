// Block reduction in shared memory, against the same kernel without its barriers (whose sums are then wrong).

#include <cuda_runtime.h>

#include "pairs.hpp"

template <bool Barriers>
__global__ void reduce(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  if (Barriers) __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    if (Barriers) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

int main() {
  constexpr int count = 1 << 20, threads = 256, barriers = 9;
  float *in, *out;
  cudaMalloc(&in, count * sizeof(float));
  cudaMalloc(&out, count / threads * sizeof(float));
  cudaMemset(in, 0, count * sizeof(float));
  cudaDeviceSynchronize();
  const auto seen = benchmark::measure_pairs(
      15,
      [&] {
        reduce<true><<<count / threads, threads>>>(in, out);
        cudaDeviceSynchronize();
      },
      [&] {
        reduce<false><<<count / threads, threads>>>(in, out);
        cudaDeviceSynchronize();
      });
  const double thread_barriers = double(count) * barriers;
  std::printf(
      "block reduction of 2^20: %.1f ns per thread and barrier, work included; %.1f ns for the barrier alone "
      "(at most 50); ratio to the kernel without barriers %.1f\n",
      seen.first_ms * 1e6 / thread_barriers, (seen.first_ms - seen.second_ms) * 1e6 / thread_barriers,
      seen.ratio);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
