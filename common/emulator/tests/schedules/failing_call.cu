// The calls 1 to 5 are a creation, a launch, a wait, a creation and a destruction; then what they answered,
// and what is left for cudaGetLastError.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void nothing() {}

int main() {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  const auto created_stream = cudaStreamCreate(&stream);
  nothing<<<1, 1>>>();
  const auto waited = cudaDeviceSynchronize();
  const auto created = cudaEventCreate(&event);
  const auto destroyed = cudaEventDestroy(event);
  std::printf("%d %d %d %d, %s, %s\n", created_stream, waited, created, destroyed,
              event == nullptr ? "no event" : "an event", cudaGetErrorName(cudaGetLastError()));
}
