// A host function that wants to launch itself again, and to wait for its own stream.
#include "report.hpp"

cudaStream_t stream;
void* memory;

void again(void*) {
  SHOW(cudaLaunchHostFunc(stream, &again, nullptr));
  SHOW(cudaStreamSynchronize(stream));
  SHOW(cudaMalloc(&memory, 4));
}

int main() {
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaLaunchHostFunc(stream, &again, nullptr));
  SHOW(cudaStreamSynchronize(stream));
}
