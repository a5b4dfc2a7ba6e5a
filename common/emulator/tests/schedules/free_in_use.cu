// Memory is freed while a kernel may still write it; cudaFree happens to wait.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(int* data) {
  data[threadIdx.x] = 1;
}

int main() {
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
  fill<<<1, 32>>>(data);
  cudaFree(data);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
