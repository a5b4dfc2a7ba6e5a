// The kernel sets the flag without a fence: its results may come after it.

#include <cuda_runtime.h>

__global__ void answer(int* data, volatile int* flag) {
  for (int i = 0; i < 64; ++i) data[i] = 1;
  *flag = 1;
}

int main() {
  volatile int* flag;
  int* data;
  cudaHostAlloc(&data, 64 * sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(const_cast<int**>(&flag), sizeof(int), cudaHostAllocMapped);
  *flag = 0;
  answer<<<1, 1>>>(data, flag);
  while (*flag == 0) {
  }
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += data[i];

  cudaDeviceSynchronize();
  cudaFreeHost(const_cast<int*>(flag));
  cudaFreeHost(data);
  return sum == 64 ? 0 : 1;
}
