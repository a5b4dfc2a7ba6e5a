// Memory is freed while a copy may still read it; cudaFree happens to wait.

#include <cuda_runtime.h>

#include <cstdio>

int main() {
  int *data, *out;
  cudaMalloc(&data, sizeof(int));
  cudaMallocHost(&out, sizeof(int));
  cudaMemsetAsync(data, 0, sizeof(int));
  cudaMemcpyAsync(out, data, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(data);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
