// The host asks until the download is done, and says whether it had to ask often. Nothing is wrong.

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
  int asked = 1;
  while (cudaStreamQuery(stream) != cudaSuccess) ++asked;
  std::printf("%s: %g\n", asked < 1000 ? "soon" : "late", out[0]);

  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
}
