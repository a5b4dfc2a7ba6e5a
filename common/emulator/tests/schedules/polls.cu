// The host polls a flag that held work is to set: it polls for as long as the hold lasts, and no longer.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void set(volatile int* flag) {
  *flag = 1;
}

int main() {
  int* flag;
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  set<<<1, 1>>>(flag);
  while (*static_cast<volatile int*>(flag) == 0) {
  }
  cudaDeviceSynchronize();
  std::puts("set");
}
