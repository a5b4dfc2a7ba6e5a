// Waits for success, which never comes once a kernel has faulted.
#include "report.hpp"

__global__ void kernel(int* out) {
  out[0] = 1;
}

int main() {
  SHOW(cudaGetLastError());
  kernel<<<1, 1>>>(nullptr);
  while (cudaStreamQuery(nullptr) != cudaSuccess) {
  }
}
