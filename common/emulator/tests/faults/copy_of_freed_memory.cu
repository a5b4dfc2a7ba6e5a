// A copy from memory that its stream has freed by then: the call was made before the memory was given back.
#include "report.hpp"

__global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

int main() {
  cudaStream_t home, away;
  int *data = nullptr, *result = nullptr;
  SHOW(cudaStreamCreate(&home));
  SHOW(cudaStreamCreate(&away));
  SHOW(cudaMallocHost(&result, sizeof(int)));
  SHOW(cudaMallocAsync(&data, sizeof(int), home));
  SHOW(cudaMemsetAsync(data, 1, sizeof(int), home));
  spin<<<1, 1, 0, away>>>(1000000);
  SHOW(cudaMemcpyAsync(result, data, sizeof(int), cudaMemcpyDeviceToHost, away));
  SHOW(cudaFreeAsync(data, home));
  SHOW(cudaStreamSynchronize(away));
}
