// Two kernels write one __device__ array, in two streams.

#include <cuda_runtime.h>

__device__ float totals[4];
__device__ float others[4];

__global__ void put(float value) {
  totals[threadIdx.x] = value;
}
__global__ void put_elsewhere(float value) {
  others[threadIdx.x] = value;
}

int main() {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  put<<<1, 4, 0, first>>>(1);
  put<<<1, 4, 0, second>>>(2);
  put_elsewhere<<<1, 4, 0, first>>>(3);
  cudaDeviceSynchronize();
  float seen = 0;
  cudaMemcpyFromSymbol(&seen, totals, sizeof seen);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  return seen > 0 ? 0 : 1;
}
