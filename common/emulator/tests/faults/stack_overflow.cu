// Recursion without an end, on the device.
#include "report.hpp"

__device__ __noinline__ int depth(volatile int* levels) {
  volatile char locals[100];
  locals[*levels % 100] = 1;
  *levels = *levels + 1;
  return *levels < 0 ? 0 : depth(levels) + locals[*levels % 100];
}

__global__ void recurse(int* levels) {
  *levels = depth(levels);
}

int main() {
  int* levels = nullptr;
  SHOW(cudaMalloc(&levels, sizeof(int)));
  SHOW(cudaMemset(levels, 0, sizeof(int)));
  recurse<<<1, 1>>>(levels);
  SHOW(cudaDeviceSynchronize());
}
