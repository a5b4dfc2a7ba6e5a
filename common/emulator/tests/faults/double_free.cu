// The same memory is freed twice, and a pointer that was never allocated.
#include "report.hpp"

int main() {
  int on_the_stack = 0;
  int* data = nullptr;
  SHOW(cudaMalloc(&data, 1024));
  SHOW(cudaFree(data));
  SHOW(cudaFree(data));
  SHOW(cudaFree(&on_the_stack));
  SHOW(cudaFree(nullptr));
  SHOW(cudaGetLastError());
}
