// A stream is used after its end.
#include "report.hpp"

__global__ void nothing() {}

int main() {
  cudaStream_t stream;
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaStreamDestroy(stream));
  nothing<<<1, 1, 0, stream>>>();
  SHOW(cudaGetLastError());
  SHOW(cudaStreamSynchronize(stream));
  SHOW(cudaStreamDestroy(stream));
  SHOW(cudaDeviceSynchronize());
}
