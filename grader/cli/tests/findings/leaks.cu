// Nothing is given back.

#include <cuda_runtime.h>

int main() {
  void *device, *pinned;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaMalloc(&device, 4);
  cudaMallocHost(&pinned, 4);
  cudaStreamCreate(&stream);
  for (int i = 0; i < 3; ++i) cudaEventCreate(&event);
}
