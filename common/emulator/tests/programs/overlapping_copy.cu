// Nothing orders the copy after the kernel: it runs at the same time and takes home a half-filled array. The kernel
// fills from the end, the copy reads from the beginning.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>

__global__ void fill(int* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[n - 1 - i] = 1;
}

int main() {
  const int n = 1 << 22;
  int *data, *host;
  cudaStream_t fills, copies;
  cudaMalloc(&data, n * sizeof(int));
  cudaMallocHost(&host, n * sizeof(int));
  cudaMemset(data, 0, n * sizeof(int));
  cudaStreamCreateWithFlags(&fills, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaDeviceSynchronize();

  fill<<<1, 256, 0, fills>>>(data, n);
  cudaMemcpyAsync(host, data, n * sizeof(int), cudaMemcpyDeviceToHost, copies);
  cudaDeviceSynchronize();

  const auto filled = std::count(host, host + n, 1);
  std::printf("the copy saw %s of the array\n", filled == 0 ? "nothing" : filled == n ? "all" : "a part");

  cudaMemcpy(host, data, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("afterwards: %s\n", std::count(host, host + n, 1) == n ? "all" : "not all");
}
