// The event is destroyed and then waited for.

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
  cudaEventRecord(uploaded, copies);
  cudaEventDestroy(uploaded);
  cudaStreamWaitEvent(compute, uploaded);
  scale<<<1, count, 0, compute>>>(device);

  cudaDeviceSynchronize();
  cudaEventDestroy(scaled);
  cudaStreamDestroy(compute);
  cudaStreamDestroy(copies);
  cudaFree(device);
  cudaFreeHost(out);
  cudaFreeHost(in);
}
