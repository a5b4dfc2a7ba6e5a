// The second of three launches of one kernel is told of more elements than there are.

#include <cuda_runtime.h>

__global__ void fill(float* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] = 1;
}

int main() {
  constexpr int count = 1000;
  float *first, *second;
  cudaMalloc(&first, count * sizeof(float));
  cudaMalloc(&second, count * sizeof(float));
  fill<<<4, 256>>>(first, count);
  fill<<<4, 256>>>(second, 1024);
  fill<<<4, 256>>>(first, count);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(first);
  cudaFree(second);
  return error == cudaSuccess ? 0 : 3;
}
