// A host function that calls itself until its stack is full.
#include "report.hpp"

int deeper(int n) {
  volatile char room[1000];
  room[n % 1000] = 1;
  return n < 0 ? 0 : deeper(n + 1) + room[n % 1000];
}

int main() {
  cudaStream_t stream;
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaLaunchHostFunc(
      stream, [](void* result) { *static_cast<int*>(result) = deeper(1); }, &stream));
  SHOW(cudaStreamSynchronize(stream));
}
