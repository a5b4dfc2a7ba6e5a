// The host polls an event that was recorded before a kernel which never ends.
#include "report.hpp"

__global__ void forever() {
  while (clock64() >= 0) __nanosleep(1000);
}

int main() {
  cudaEvent_t done;
  SHOW(cudaEventCreate(&done));
  forever<<<1, 1>>>();
  SHOW(cudaEventRecord(done));
  while (cudaEventQuery(done) == cudaErrorNotReady) {
  }
}
