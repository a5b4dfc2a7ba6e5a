// stopped after: 2 s
// The kernel loops without touching memory, and somebody loses patience.
#include "report.hpp"

__global__ void wait_for(const int* flag) {
  const int seen = *flag;  // what a compiler makes of `while (*flag == 0);`
  while (seen == 0) asm volatile("");
}

int main() {
  int* flag = nullptr;
  SHOW(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  SHOW(cudaDeviceSynchronize());
}
