// The host asks for a tenth of a second whether the download is done, and reads whatever the answer was.

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
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (cudaStreamQuery(stream) == cudaErrorNotReady && std::chrono::steady_clock::now() < until) {
  }
  std::printf("%g\n", out[0]);

  cudaStreamSynchronize(stream);

  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
}
