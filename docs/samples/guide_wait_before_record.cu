// Wrong: the wait is issued before the record, so it waits for nothing.

#include <cuda_runtime.h>

#include <cstdio>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"

static __global__ void scale(float* data, float factor) {
  data[threadIdx.x] *= factor;
}

int main() {
  constexpr int count = 256;
  const lab::stream copies;
  const lab::stream compute;
  lab::pinned_buffer<float> host(count);
  lab::device_buffer<float> device(count);
  cudaEvent_t uploaded;
  CUDA_CHECK(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming));
  for (float& value : host) value = 1;
  const std::size_t bytes = host.size_bytes();

  CUDA_CHECK(cudaMemcpyAsync(device.data(), host.data(), bytes, cudaMemcpyHostToDevice, copies.get()));
  CUDA_CHECK(cudaStreamWaitEvent(compute.get(), uploaded, 0));  // never recorded so far: no wait at all
  CUDA_CHECK(cudaEventRecord(uploaded, copies.get()));
  scale<<<1, count, 0, compute.get()>>>(device.data(), 3);
  CUDA_CHECK(cudaGetLastError());

  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpyAsync(host.data(), device.data(), bytes, cudaMemcpyDeviceToHost, copies.get()));
  copies.sync();
  std::printf("%g\n", host[0]);
  CUDA_CHECK(cudaEventDestroy(uploaded));
}
