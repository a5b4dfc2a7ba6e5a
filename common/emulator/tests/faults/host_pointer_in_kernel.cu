// The kernel is given the host's array.
#include <vector>

#include "report.hpp"

__global__ void scale(float* data) {
  data[threadIdx.x] *= 2;
}

int main() {
  std::vector<float> values(256, 1.0f);
  scale<<<1, 256>>>(values.data());
  SHOW(cudaDeviceSynchronize());
  std::printf("values[0] = %g\n", values[0]);
}
