// Host code at memory that work may be using: pinned and registered always, ordinary memory while a copy is
// not known to be done. The rest of the host's accesses are nobody's business.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <vector>

__global__ void scale(float* data, float factor) {
  data[threadIdx.x] *= factor;
}

int main() {
  float *pinned = nullptr, *device = nullptr;
  cudaMallocHost(&pinned, 1024);
  cudaMalloc(&device, 1024);
  std::vector<float> unrelated(256, 1.0f), source(256, 1.0f);
  for (int i = 0; i < 256; ++i) pinned[i] = static_cast<float>(i);
  cudaMemcpyAsync(device, pinned, 1024, cudaMemcpyHostToDevice);
  pinned[3] = 1;
  scale<<<1, 256>>>(device, 2);
  for (int i = 0; i < 256; i += 64) pinned[i] = unrelated[static_cast<unsigned>(i)];
  cudaMemcpyAsync(device, source.data(), 1024, cudaMemcpyHostToDevice);
  std::fill(source.begin(), source.begin() + 16, 2.0f);
  std::memcpy(source.data() + 64, unrelated.data(), 32);
  unrelated[0] = source[100];
  cudaDeviceSynchronize();
  source[0] = 3;
  cudaMemcpy(pinned, device, 1024, cudaMemcpyDeviceToHost);
  unrelated[1] = pinned[7];
  cudaFree(device);
  cudaFreeHost(pinned);
  return unrelated[1] < 0;
}
