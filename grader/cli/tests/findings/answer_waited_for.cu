// The host asks until the download is done, and says how long that took. Nothing is wrong.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>

int main() {
  constexpr int bytes = 1024;
  float *out, *device;
  cudaMallocHost(&out, bytes);
  cudaMalloc(&device, bytes);
  cudaMemset(device, 0, bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, stream);
  const auto begin = std::chrono::steady_clock::now();
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  const std::chrono::duration<double, std::micro> waited = std::chrono::steady_clock::now() - begin;
  std::printf("waited for %.1f us\n", waited.count());
  std::printf("%g\n", out[0]);

  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
}
