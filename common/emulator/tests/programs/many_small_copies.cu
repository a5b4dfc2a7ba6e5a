// Twenty thousand copies from ordinary memory in a program that has had a second thread, and host code that goes
// over all of it: what is watched must not grow with the number of copies.
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

int main() {
  std::thread([] {}).join();
  int* device = nullptr;
  cudaMalloc(&device, 16 * sizeof(int));
  std::vector<std::vector<int>> rows(20000, std::vector<int>(16, 1));
  for (const auto& row : rows) cudaMemcpy(device, row.data(), 16 * sizeof(int), cudaMemcpyHostToDevice);
  long sum = 0;
  for (int round = 0; round < 20; ++round) {
    for (auto& row : rows) {
      for (int& value : row) sum += value++;
    }
  }
  cudaDeviceSynchronize();
  cudaFree(device);
  std::printf("sum %ld\n", sum);
}
