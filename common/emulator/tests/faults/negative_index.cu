// A kernel writes before its array.
#include "report.hpp"

__global__ void shift(int* data, int by) {
  data[static_cast<int>(threadIdx.x) - by] = 1;
}

int main(int argc, char**) {
  int* first = nullptr;
  int* data = nullptr;
  SHOW(cudaMalloc(&first, 400));
  SHOW(cudaMalloc(&data, 400));
  shift<<<1, 32>>>(argc > 1 ? first : data, 1);
  SHOW(cudaDeviceSynchronize());
}
