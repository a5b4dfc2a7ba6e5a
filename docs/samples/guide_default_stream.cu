// Wrong: the default stream orders nothing for a non-blocking stream.

#include <cuda_runtime.h>

#include <cstdio>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"

static __global__ void store(int* place, int value) {
  *place = value;
}

static __global__ void add(int* place, int value) {
  *place += value;
}

int main() {
  cudaStream_t blocking;
  cudaStream_t non_blocking;
  CUDA_CHECK(cudaStreamCreate(&blocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
  lab::device_buffer<int> values(2);
  lab::pinned_buffer<int> results(2);

  store<<<1, 1>>>(values.data(), 1);                     // in the default stream
  store<<<1, 1>>>(values.data() + 1, 1);                 // in the default stream
  add<<<1, 1, 0, blocking>>>(values.data(), 1);          // runs behind it: promised
  add<<<1, 1, 0, non_blocking>>>(values.data() + 1, 1);  // may run before it
  CUDA_CHECK(cudaGetLastError());

  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(results.data(), values.data(), values.size_bytes(), cudaMemcpyDeviceToHost));
  std::printf("%d %d\n", results[0], results[1]);
  CUDA_CHECK(cudaStreamDestroy(non_blocking));
  CUDA_CHECK(cudaStreamDestroy(blocking));
}
