// The host gives up, as by an assertion that fails, over what a kernel has still to write.

#include <cuda_runtime.h>

#include <cstdlib>

__global__ void put(float* data, float value) {
  data[threadIdx.x] = value;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float* out;
  cudaMallocHost(&out, bytes);
  out[0] = 0;
  put<<<1, count>>>(out, 8);
  if (out[0] != 8) std::abort();
  cudaDeviceSynchronize();
  cudaFreeHost(out);
}
