// Launches that cannot be.
#include "report.hpp"

__global__ void nothing() {}

int main() {
  nothing<<<1, 1025>>>();
  SHOW(cudaGetLastError());
  nothing<<<0, 32>>>();
  SHOW(cudaPeekAtLastError());
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGetLastError());
  nothing<<<1, 32, 200000>>>();
  SHOW(cudaGetLastError());
  nothing<<<1, 32>>>();
  SHOW(cudaGetLastError());
  SHOW(cudaDeviceSynchronize());
}
