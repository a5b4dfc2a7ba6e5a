// More work in a stream than the queue has room for: waiting for room is no promise either.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void nothing() {}

int main() {
  unsigned char *out, *device;
  cudaMallocHost(&out, 1);
  cudaMalloc(&device, 1);
  *out = 7;
  cudaStream_t busy, other;
  cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMemsetAsync(device, 9, 1, busy);  // 1
  for (int i = 0; i < 1999; ++i) nothing<<<1, 1, 0, busy>>>();
  cudaMemcpyAsync(out, device, 1, cudaMemcpyDeviceToHost, other);  // 2001
  cudaStreamSynchronize(other);
  std::printf("%d\n", *out == 9 ? 9 : 7);
  cudaDeviceSynchronize();
}
