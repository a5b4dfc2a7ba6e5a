// stopped after: 2 s
// The kernel loops without touching memory, and somebody loses patience.
#include "report.hpp"

__global__ void wait_for(const int* flag) {
  const int seen = *flag;  // what a compiler makes of a flag that is not volatile
  while (seen == 0) {
#ifndef __CUDA_ARCH__
    asm volatile("");  // keeps the loop, touches no memory
#endif
  }
}

int main() {
  int* flag = nullptr;
  SHOW(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  SHOW(cudaDeviceSynchronize());
}
