// The kernel sets the flag by an atomic function: nothing is wrong.

#include <cuda_runtime.h>

__global__ void answer(int* data, volatile int* flag) {
  for (int i = 0; i < 64; ++i) data[i] = 1;
  __threadfence_system();
  atomicExch_system(const_cast<int*>(flag), 1);
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
