// What a host function does is done by work in its stream.
#include <cuda_runtime.h>

int main() {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  for (int i = 0; i < 16; ++i) pinned[i] = i;
  cudaLaunchHostFunc(
      nullptr,
      [](void* data) {
        auto* numbers = static_cast<int*>(data);
        numbers[2] = numbers[1];
      },
      pinned);
  cudaDeviceSynchronize();
  const bool right = pinned[2] == 1;
  cudaFreeHost(pinned);
  return right ? 0 : 1;
}
