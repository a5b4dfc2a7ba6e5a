// The host reads what a copy may not have brought yet.

#include <cuda_runtime.h>

#include <cstdio>

int main() {
  unsigned char *out, *device;
  cudaMallocHost(&out, 1);
  cudaMalloc(&device, 1);
  *out = 7;
  cudaMemset(device, 9, 1);
  cudaMemcpyAsync(out, device, 1, cudaMemcpyDeviceToHost);
  std::printf("%d\n", *out);
  cudaDeviceSynchronize();
}
