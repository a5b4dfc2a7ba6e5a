// A kernel gives up.
#include "report.hpp"

__global__ void give_up() {
  if (threadIdx.x == 5) __trap();
}

int main() {
  cudaEvent_t event = nullptr;
  SHOW(cudaEventCreate(&event));
  give_up<<<2, 32>>>();
  SHOW(cudaEventRecord(event));
  SHOW(cudaEventSynchronize(event));
  SHOW(cudaEventDestroy(event));
}
