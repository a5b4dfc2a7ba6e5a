// As silent_kernel.cu, but nobody waits for the kernel: the program ends as it would without.
#include "report.hpp"

__global__ void wait_for(const int* flag) {
  const int seen = *flag;
  while (seen == 0) asm volatile("");
}

int main() {
  int* flag = nullptr;
  SHOW(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  return 4;
}
