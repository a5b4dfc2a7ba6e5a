// A program whose record would outgrow the machine.
#include "report.hpp"

int main() {
  void* memory = nullptr;
  while (cudaMallocAsync(&memory, 1, nullptr) == cudaSuccess) {
  }
  SHOW(cudaGetLastError());
}
