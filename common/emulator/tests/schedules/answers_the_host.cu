// A kernel that goes on when the host says so cannot be done before what the host does next.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void await(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
  int* flag;
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  await<<<1, 1>>>(flag);
  *static_cast<volatile int*>(flag) = 1;
  cudaDeviceSynchronize();
  std::puts("answered");
}
