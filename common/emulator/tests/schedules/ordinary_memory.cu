// Copies of ordinary memory, which "might be synchronous": an upload whose source changes at once, the same
// without "Async", a download that is read at once.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

int main() {
  std::vector<char> source(1 << 20, 1), target(1 << 20, 7);
  char *device, *nines;
  cudaMalloc(&device, source.size());
  cudaMalloc(&nines, source.size());
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemsetAsync(nines, 9, source.size(), stream);
  char back = 0;

  cudaMemcpyAsync(device, source.data(), source.size(), cudaMemcpyHostToDevice, stream);
  source[0] = 2;
  cudaStreamSynchronize(stream);
  cudaMemcpy(&back, device, 1, cudaMemcpyDeviceToHost);
  std::printf("%d ", back);

  source[0] = 1;
  cudaMemcpy(device, source.data(), source.size(), cudaMemcpyHostToDevice);
  source[0] = 2;
  cudaDeviceSynchronize();
  cudaMemcpy(&back, device, 1, cudaMemcpyDeviceToHost);
  std::printf("%d ", back);

  cudaMemcpyAsync(target.data(), nines, target.size(), cudaMemcpyDeviceToHost, stream);
  std::printf("%d\n", target.back());
  cudaStreamSynchronize(stream);
}
