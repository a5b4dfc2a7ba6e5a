// Something that is not there: it says so by name, where it is reached.
#include "report.hpp"

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  SHOW(cudaGetLastError());
  cudaError_t (*volatile destroy)(cudaMemPool_t) = &cudaMemPoolDestroy;
  SHOW(destroy(nullptr));
}
