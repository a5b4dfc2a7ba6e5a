// The launch names no stream; the stream of the upload does not wait for the default one.

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

  cudaMemcpyAsync(device, in, bytes, cudaMemcpyHostToDevice, copies);
  scale<<<1, count>>>(device);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, copies);
  cudaStreamSynchronize(copies);
  const bool right = out[0] == 2;

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
