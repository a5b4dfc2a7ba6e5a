// Calls of every kind with a stream and an event that have been destroyed, and with what never was one.
#include "report.hpp"

__global__ void nothing() {}

int main() {
  cudaStream_t stream;
  cudaEvent_t event, other;
  float ms = 0;
  void* memory = nullptr;
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaEventCreate(&event));
  SHOW(cudaEventCreate(&other));
  SHOW(cudaEventRecord(other));
  SHOW(cudaEventDestroy(event));
  SHOW(cudaStreamDestroy(stream));
  SHOW(cudaEventQuery(event));
  SHOW(cudaEventSynchronize(event));
  SHOW(cudaEventElapsedTime(&ms, other, event));
  SHOW(cudaStreamWaitEvent(nullptr, event));
  SHOW(cudaEventDestroy(event));
  SHOW(cudaEventRecord(other, stream));
  SHOW(cudaStreamQuery(stream));
  nothing<<<1, 1, 0, stream>>>();
  SHOW(cudaGetLastError());
  SHOW(cudaMallocAsync(&memory, 4, stream));
  SHOW(cudaLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  SHOW(cudaStreamDestroy(stream));
  SHOW(cudaStreamQuery(reinterpret_cast<cudaStream_t>(&ms)));
  SHOW(cudaEventQuery(reinterpret_cast<cudaEvent_t>(&ms)));
}
