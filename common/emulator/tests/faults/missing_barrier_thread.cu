// Half of the block returns before the barrier; the others go on without them.
#include "report.hpp"

__global__ void half(int* count) {
  if (threadIdx.x >= 16) return;
  __syncthreads();
  atomicAdd(count, 1);
}

int main() {
  int* count = nullptr;
  int host = -1;
  SHOW(cudaMalloc(&count, sizeof(int)));
  SHOW(cudaMemset(count, 0, sizeof(int)));
  half<<<1, 32>>>(count);
  SHOW(cudaMemcpy(&host, count, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d threads\n", host);
}
