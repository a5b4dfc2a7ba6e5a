// Copies and sets, in every kind of memory; rows with gaps.
#include <cuda_runtime.h>

#include <vector>

int main() {
  char *device = nullptr, *other = nullptr, *pinned = nullptr;
  std::vector<char> ordinary(1000, 1), registered(3000, 1);
  cudaMalloc(&device, 4096);
  cudaMalloc(&other, 4096);
  cudaMallocHost(&pinned, 2048);
  cudaHostRegister(registered.data(), registered.size(), cudaHostRegisterDefault);
  cudaMemset(device, 0, 4096);
  cudaMemset2DAsync(device, 100, 1, 10, 3);
  cudaMemcpy(device + 8, ordinary.data(), 500, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(device, pinned + 100, 200, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(registered.data() + 1, device, 300, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(other, device, 400, cudaMemcpyDeviceToDevice);
  cudaMemcpy2DAsync(other, 64, device, 128, 16, 3, cudaMemcpyDeviceToDevice);
  cudaMemcpy(ordinary.data(), other, 600, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  cudaHostUnregister(registered.data());
  cudaFreeHost(pinned);
  cudaFree(other);
  cudaFree(device);
}
