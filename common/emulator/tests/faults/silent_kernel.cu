// The flag is not volatile, so the compiler reads it once; the kernel then loops without touching memory at
// all.
#include "report.hpp"

__global__ void wait_for(const int* flag) {
  while (*flag == 0) {
#ifndef __CUDA_ARCH__
    asm volatile("");  // what would be left of the loop
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
