// Four host threads, each with its per-thread default stream; the legacy stream collects what they made.
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

__global__ void fill(int* part, int n, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) part[i] = value;
}

__global__ void sum(const int* data, int n, int* total) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(total, data[i]);
}

int main() {
  constexpr int threads = 4, n = 512;
  int *data = nullptr, *total = nullptr;
  cudaMalloc(&data, threads * n * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([=] { fill<<<2, 256, 0, cudaStreamPerThread>>>(data + t * n, n, t + 1); });
  }
  for (auto& worker : workers) worker.join();
  sum<<<threads * n / 256, 256>>>(data, threads * n, total);
  int result = 0;
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("sum %d, expected %d: %s\n", result, n * 10, cudaGetErrorName(cudaGetLastError()));
  cudaFree(data);
  cudaFree(total);
}
