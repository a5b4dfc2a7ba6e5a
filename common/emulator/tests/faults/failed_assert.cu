// An assertion fails in one thread of a kernel.
#include <cassert>

#include "report.hpp"

__global__ void check(const int* data) { assert(data[threadIdx.x] >= 0 && "no debts"); }

int main() {
  const int host[4] = {1, 2, -3, 4};
  int* data = nullptr;
  SHOW(cudaMalloc(&data, sizeof host));
  SHOW(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  check<<<1, 4>>>(data);
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaFree(data));
}
