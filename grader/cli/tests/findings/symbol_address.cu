// A copy and a memset to the address of a __constant__ array while a kernel may still read it.

#include <cuda_runtime.h>

__constant__ float factors[64];

__global__ void scale(float* data) {
  data[threadIdx.x] *= factors[threadIdx.x];
}

int main() {
  float *device, *in;
  cudaMalloc(&device, sizeof factors);
  cudaMallocHost(&in, sizeof factors);
  for (int i = 0; i < 64; ++i) in[i] = 1;
  void* address;
  cudaGetSymbolAddress(&address, factors);
  cudaMemset(device, 0, sizeof factors);
  cudaStream_t compute, copies;
  cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaMemcpyAsync(address, in, sizeof factors, cudaMemcpyHostToDevice, copies);
  cudaDeviceSynchronize();
  scale<<<1, 64, 0, compute>>>(device);
  cudaMemcpyAsync(address, in, sizeof factors, cudaMemcpyHostToDevice, copies);
  cudaDeviceSynchronize();
  scale<<<1, 64, 0, compute>>>(device);
  cudaMemsetAsync(address, 0, sizeof factors, copies);
  cudaDeviceSynchronize();
  cudaStreamDestroy(copies);
  cudaStreamDestroy(compute);
  cudaFreeHost(in);
  cudaFree(device);
}
