// A kernel writes past the end of its array.
#include "report.hpp"

__global__ void fill(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) data[i] = i;
}

int main() {
  const int n = 1000;
  int* data = nullptr;
  SHOW(cudaMalloc(&data, n * sizeof(int)));
  fill<<<4, 256>>>(data, n);
  SHOW(cudaGetLastError());
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaMemset(data, 0, 4));
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  return 3;
}
