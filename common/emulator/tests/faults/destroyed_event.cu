// An event is used after its end.
#include "report.hpp"

int main() {
  cudaEvent_t start, stop;
  float ms = 0;
  SHOW(cudaEventCreate(&start));
  SHOW(cudaEventCreate(&stop));
  SHOW(cudaEventRecord(start));
  SHOW(cudaEventRecord(stop));
  SHOW(cudaEventDestroy(start));
  SHOW(cudaEventElapsedTime(&ms, start, stop));
  SHOW(cudaEventSynchronize(start));
  SHOW(cudaEventDestroy(start));
  SHOW(cudaEventSynchronize(stop));
}
