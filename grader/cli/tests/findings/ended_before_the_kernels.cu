// Two kernels write the same array, in two streams; the program calls exit before either has begun.

#include <cuda_runtime.h>

#include <cstdlib>

__global__ void put(float* data, float value) {
  data[threadIdx.x] = value;
}
__global__ void add(float* data, float value) {
  data[threadIdx.x] += value;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float* device;
  cudaMalloc(&device, bytes);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  put<<<1, count, 0, first>>>(device, 8);
  add<<<1, count, 0, second>>>(device, 8);
  std::exit(0);
}
