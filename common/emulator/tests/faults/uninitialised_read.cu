// A kernel adds to memory that nobody has set: half of it was.
#include <cmath>

#include "report.hpp"

__global__ void accumulate(float* sums) {
  sums[threadIdx.x] += 1.0f;
}

int main() {
  float* sums = nullptr;
  float first = 0, last = 0;
  SHOW(cudaMalloc(&sums, 64 * sizeof(float)));
  SHOW(cudaMemset(sums, 0, 32 * sizeof(float)));
  accumulate<<<1, 64>>>(sums);
  SHOW(cudaMemcpy(&first, sums, sizeof first, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(&last, sums + 63, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("first %g, last is %s\n", first, std::isnan(last) ? "not a number" : "a number");
}
