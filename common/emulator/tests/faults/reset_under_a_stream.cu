// cudaDeviceReset destroys what the program still holds.
#include "report.hpp"

__global__ void kernel(int* out) {
  out[0] = 1;
}

int main() {
  cudaStream_t stream;
  int* data;
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaMalloc(&data, sizeof(int)));
  SHOW(cudaDeviceReset());
  SHOW(cudaStreamSynchronize(stream));
  kernel<<<1, 1>>>(data);
  SHOW(cudaDeviceSynchronize());
}
