// cudaMemset is taken for done when it returns.

#include <cuda_runtime.h>

int main() {
  constexpr int bytes = 1 << 20;
  float *scratch, *device;
  cudaMalloc(&scratch, bytes);
  cudaMalloc(&device, bytes);
  cudaMemset(device, 0, bytes);
  cudaDeviceSynchronize();
  cudaMemset(scratch, 0, bytes);
  cudaFree(scratch);
  cudaFree(device);
}
