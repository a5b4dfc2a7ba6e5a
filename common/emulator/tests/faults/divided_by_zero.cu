// An integer division by zero, on the device.
#include "report.hpp"

__global__ void average(const int* sum, int* result, int count) {
  *result = *sum / count;
}

int main() {
  int* data = nullptr;
  SHOW(cudaMalloc(&data, 2 * sizeof(int)));
  SHOW(cudaMemset(data, 0, 2 * sizeof(int)));
  average<<<1, 1>>>(data, data + 1, 0);
  SHOW(cudaDeviceSynchronize());
}
