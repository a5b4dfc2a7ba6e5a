// The program reads what the download brings and ends, without ever waiting.

#include <cuda_runtime.h>

__global__ void put(float* data, float value) {
  data[threadIdx.x] = value;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float *device, *out;
  cudaMalloc(&device, bytes);
  cudaMallocHost(&out, bytes);
  out[0] = 0;
  put<<<1, count>>>(device, 8);
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, nullptr);
  return out[0] == 8 ? 0 : 1;
}
