// Two host threads: one waits for the download, the other reads, and neither tells the other.

#include <cuda_runtime.h>

#include <chrono>
#include <thread>

int main() {
  constexpr int bytes = 1024;
  float *out, *device;
  cudaStream_t stream;
  cudaMallocHost(&out, bytes);
  cudaMalloc(&device, bytes);
  cudaStreamCreate(&stream);
  cudaMemsetAsync(device, 0, bytes, stream);
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, stream);
  std::thread waits([&] {
    cudaStreamSynchronize(stream);
    out[1] = 1;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const bool right = out[0] == 0;
  out[1] = 2;
  waits.join();
  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
  return right ? 0 : 1;
}
