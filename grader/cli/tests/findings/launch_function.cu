// A kernel launched by cudaLaunchKernel is named like any other.

#include <cuda_runtime.h>

namespace {
template <class T>
__global__ void put(T* data, T value) {
  data[threadIdx.x] = value;
}
}  // namespace

__global__ void add(float* data, float value) {
  data[threadIdx.x] += value;
}

int main() {
  float* device;
  cudaMalloc(&device, 256 * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float value = 3;
  void* arguments[] = {&device, &value};
  cudaLaunchKernel(put<float>, dim3(1), dim3(256), arguments, 0, stream);
  cudaLaunchKernel(add, dim3(1), dim3(256), arguments);
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
  cudaFree(device);
}
