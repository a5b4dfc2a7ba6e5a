// Only cudaFree of something else stands between the download and the host.

#include <cuda_runtime.h>

__global__ void scale(float* data) {
  data[threadIdx.x] *= 2;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float *in, *out, *device;
  cudaMallocHost(&in, bytes);
  cudaMallocHost(&out, bytes);
  cudaMalloc(&device, bytes);
  cudaStream_t copies, compute;
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
  cudaEvent_t uploaded, scaled;
  cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming);
  for (int i = 0; i < count; ++i) in[i] = 1;

  float* unused;
  cudaMalloc(&unused, bytes);
  cudaMemcpyAsync(device, in, bytes, cudaMemcpyHostToDevice, copies);
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, copies);
  cudaFree(unused);
  const bool right = out[0] == 1;

  cudaDeviceSynchronize();
  cudaEventDestroy(scaled);
  cudaEventDestroy(uploaded);
  cudaStreamDestroy(compute);
  cudaStreamDestroy(copies);
  cudaFree(device);
  cudaFreeHost(out);
  cudaFreeHost(in);
  return right ? 0 : 1;
}
