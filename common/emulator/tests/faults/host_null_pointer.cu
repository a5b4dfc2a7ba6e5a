// A crash in host code, while the device works.
#include "report.hpp"

__global__ void nothing() {}

int main() {
  volatile int* volatile nowhere = nullptr;
  nothing<<<1, 1>>>();
  SHOW(cudaGetLastError());
  *nowhere = 1;
  std::printf("not reached\n");
}
