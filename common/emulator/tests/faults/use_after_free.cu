// A kernel uses memory that has been freed.
#include "report.hpp"

__global__ void increment(int* data) {
  ++data[threadIdx.x];
}

int main() {
  int* data = nullptr;
  SHOW(cudaMalloc(&data, 64 * sizeof(int)));
  SHOW(cudaMemset(data, 0, 64 * sizeof(int)));
  SHOW(cudaFree(data));
  increment<<<1, 64>>>(data);
  SHOW(cudaDeviceSynchronize());
}
