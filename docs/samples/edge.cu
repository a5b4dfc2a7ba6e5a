// Two streams, one buffer, and an edge from the upload to the kernel.
#include <cstdio>

#include "lab/check.hpp"

__global__ void scale(float* data) {
  data[threadIdx.x] *= 2;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float *host, *device;
  CUDA_CHECK(cudaMallocHost(&host, bytes));
  CUDA_CHECK(cudaMalloc(&device, bytes));
  for (int i = 0; i < count; ++i) host[i] = 1;
  cudaStream_t copies, compute;
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  cudaEvent_t uploaded;
  CUDA_CHECK(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming));

  CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, copies));
  CUDA_CHECK(cudaEventRecord(uploaded, copies));          // behind the copy, in the copy's stream
  CUDA_CHECK(cudaStreamWaitEvent(compute, uploaded, 0));  // in front of the kernel, in the kernel's stream
  scale<<<1, count, 0, compute>>>(device);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  std::printf("%.0f\n", host[0]);

  CUDA_CHECK(cudaEventDestroy(uploaded));
  CUDA_CHECK(cudaStreamDestroy(compute));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaFree(device));
  CUDA_CHECK(cudaFreeHost(host));
}
