// The host asks whether the download is done, and waits where it is not. Nothing is wrong.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <thread>

int main() {
  constexpr int bytes = 1024;
  float *out, *device;
  cudaMallocHost(&out, bytes);
  cudaMalloc(&device, bytes);
  cudaMemset(device, 0, bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, stream);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (cudaStreamQuery(stream) == cudaErrorNotReady) {
    std::printf("still busy\n");
    cudaStreamSynchronize(stream);
  }
  std::printf("%g\n", out[0]);

  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
}
