// A kernel uses memory that another stream has freed meanwhile; nothing orders the two.
#include "report.hpp"

__global__ void slow(const int* data, int* result) {
  for (int i = 0; i < 100000; ++i) *result += *static_cast<const volatile int*>(data);
}

int main() {
  cudaStream_t home, away;
  int *data = nullptr, *result = nullptr;
  SHOW(cudaStreamCreate(&home));
  SHOW(cudaStreamCreate(&away));
  SHOW(cudaMallocAsync(&data, sizeof(int), home));
  SHOW(cudaMemsetAsync(data, 1, sizeof(int), home));
  SHOW(cudaMallocAsync(&result, sizeof(int), away));
  SHOW(cudaMemsetAsync(result, 0, sizeof(int), away));
  SHOW(cudaStreamSynchronize(home));
  slow<<<1, 1, 0, away>>>(data, result);
  SHOW(cudaFreeAsync(data, home));
  SHOW(cudaStreamSynchronize(home));
  SHOW(cudaStreamSynchronize(away));
}
