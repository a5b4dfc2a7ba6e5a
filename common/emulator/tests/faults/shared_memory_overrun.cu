// The launch asks for less dynamic shared memory than the kernel uses.
#include "report.hpp"

__global__ void reverse(int* data) {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int* data = nullptr;
  SHOW(cudaMalloc(&data, 128 * sizeof(int)));
  SHOW(cudaMemset(data, 0, 128 * sizeof(int)));
  reverse<<<1, 128, 128>>>(data);  // bytes, not elements
  SHOW(cudaDeviceSynchronize());
}
