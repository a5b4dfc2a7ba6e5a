// One stream waits for another, in both directions; the host waits once, for the result.

#include <cuda_runtime.h>

#include <cstdio>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"

static __global__ void scale(float* data, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}

int main() {
  constexpr int count = 1000;
  const lab::stream copies;
  const lab::stream compute;
  lab::pinned_buffer<float> host(count);
  lab::device_buffer<float> device(count);
  cudaEvent_t uploaded;
  cudaEvent_t scaled;
  CUDA_CHECK(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming));
  for (float& value : host) value = 1;
  const std::size_t bytes = host.size_bytes();

  CUDA_CHECK(cudaMemcpyAsync(device.data(), host.data(), bytes, cudaMemcpyHostToDevice, copies.get()));
  CUDA_CHECK(cudaEventRecord(uploaded, copies.get()));
  CUDA_CHECK(cudaStreamWaitEvent(compute.get(), uploaded, 0));  // compute waits; the host goes on

  scale<<<(count + 255) / 256, 256, 0, compute.get()>>>(device.data(), 3, count);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(scaled, compute.get()));
  CUDA_CHECK(cudaStreamWaitEvent(copies.get(), scaled, 0));

  CUDA_CHECK(cudaMemcpyAsync(host.data(), device.data(), bytes, cudaMemcpyDeviceToHost, copies.get()));
  CUDA_CHECK(cudaStreamSynchronize(copies.get()));  // the only wait of the host
  std::printf("%g\n", host[count - 1]);

  CUDA_CHECK(cudaEventDestroy(scaled));
  CUDA_CHECK(cudaEventDestroy(uploaded));
}
