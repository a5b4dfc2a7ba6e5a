// The allocation failed, nobody looked, the kernel got a null pointer.
#include "report.hpp"

__global__ void fill(float* data) {
  data[threadIdx.x] = 1.0f;
}

int main() {
  float* data = nullptr;
  SHOW(cudaMalloc(&data, std::size_t{1} << 50));
  fill<<<1, 32>>>(data);
  SHOW(cudaDeviceSynchronize());
}
