// The host reads a result where the device wrote it.
#include "report.hpp"

__global__ void answer(int* result) {
  *result = 42;
}

int main() {
  int* result = nullptr;
  SHOW(cudaMalloc(&result, sizeof(int)));
  answer<<<1, 1>>>(result);
  SHOW(cudaDeviceSynchronize());
  std::printf("the answer is %d\n", *result);
}
