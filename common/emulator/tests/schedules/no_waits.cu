// Upload, scale and download over two streams; nothing orders the one and the other, and nobody waits.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void scale(float* data) {
  *data *= 3;
}

int main() {
  float *in, *out, *device;
  cudaMallocHost(&in, sizeof(float));
  cudaMallocHost(&out, sizeof(float));
  cudaMalloc(&device, sizeof(float));
  cudaMemset(device, 0, sizeof(float));
  cudaDeviceSynchronize();
  *in = 1;
  *out = 0;
  cudaStream_t streams[2];
  for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemcpyAsync(device, in, sizeof(float), cudaMemcpyHostToDevice, streams[0]);
  scale<<<1, 1, 0, streams[1]>>>(device);
  cudaMemcpyAsync(out, device, sizeof(float), cudaMemcpyDeviceToHost, streams[0]);
  std::printf("%g\n", *out);
  cudaDeviceSynchronize();
}
