// The host says go and then writes the data.

#include <cuda_runtime.h>

#include <chrono>
#include <thread>

__global__ void add(const int* data, volatile int* flag, int* result) {
  while (*flag == 0) {
  }
  __threadfence_system();
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += data[i];
  *result = sum;
}

int main() {
  volatile int* flag;
  int* data;
  cudaHostAlloc(&data, 64 * sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(const_cast<int**>(&flag), sizeof(int), cudaHostAllocMapped);
  *flag = 0;
  int* result;
  cudaHostAlloc(&result, sizeof(int), cudaHostAllocMapped);
  add<<<1, 1>>>(data, flag, result);
  *flag = 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (int i = 0; i < 64; ++i) data[i] = 1;
  cudaDeviceSynchronize();
  const int sum = *result;
  cudaFreeHost(result);

  cudaDeviceSynchronize();
  cudaFreeHost(const_cast<int*>(flag));
  cudaFreeHost(data);
  return sum == 64 ? 0 : 1;
}
