// The host asks whether the download is done, and does without it where it is not. Nothing is wrong.

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
  if (cudaStreamQuery(stream) == cudaSuccess) {
    std::printf("%g\n", out[0]);
  } else {
    std::printf("not there yet\n");
  }
  cudaStreamSynchronize(stream);

  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
}
