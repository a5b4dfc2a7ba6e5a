// Recursion without an end, on the device.
#include "report.hpp"

__device__ __noinline__ int depth(int n, volatile int* limit) { return n == *limit ? 0 : depth(n + 1, limit) + n % 3; }

__global__ void recurse(int* result) { *result = depth(1, result); }

int main() {
  int* result = nullptr;
  SHOW(cudaMalloc(&result, sizeof(int)));
  SHOW(cudaMemset(result, 0, sizeof(int)));
  recurse<<<1, 1>>>(result);
  SHOW(cudaDeviceSynchronize());
}
