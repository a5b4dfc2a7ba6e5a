// Something that is not there: it says so by name, where it is reached.
#include "report.hpp"

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  SHOW(cudaGetLastError());
  nothing<<<1, 1, 0, cudaStreamPerThread>>>();
  SHOW(cudaDeviceSynchronize());
}
