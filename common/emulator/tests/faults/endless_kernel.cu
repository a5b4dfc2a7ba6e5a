// A kernel waits for a flag that nobody will set: the host waits for the kernel.
#include "report.hpp"

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  int* flag = nullptr;
  SHOW(cudaMallocHost(&flag, sizeof(int)));
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  SHOW(cudaDeviceSynchronize());
}
