// A four-byte access at an odd address.
#include "report.hpp"

__global__ void read_header(const char* packet, int* length) {
  *length = *reinterpret_cast<const int*>(packet + 1);
}

int main() {
  char* packet = nullptr;
  int* length = nullptr;
  SHOW(cudaMalloc(&packet, 64));
  SHOW(cudaMemset(packet, 0, 64));
  SHOW(cudaMalloc(&length, sizeof(int)));
  read_header<<<1, 1>>>(packet, length);
  SHOW(cudaDeviceSynchronize());
}
