// The flag is no flag: neither volatile nor atomic.

#include <cuda_runtime.h>

__global__ void answer(int* data, int* flag) {
  for (int i = 0; i < 64; ++i) data[i] = 1;
  __threadfence_system();
  *flag = 1;
}

int main() {
  volatile int* flag;
  int* data;
  cudaHostAlloc(&data, 64 * sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(const_cast<int**>(&flag), sizeof(int), cudaHostAllocMapped);
  *flag = 0;
  answer<<<1, 1>>>(data, const_cast<int*>(flag));
  while (*flag == 0) {
  }
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += data[i];

  cudaDeviceSynchronize();
  cudaFreeHost(const_cast<int*>(flag));
  cudaFreeHost(data);
  return sum == 64 ? 0 : 1;
}
