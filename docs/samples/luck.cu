// A copy into ordinary memory: the call happens to wait, and nothing says that it has to.
#include <cstdio>
#include <vector>

#include "lab/check.hpp"

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float* device;
  CUDA_CHECK(cudaMalloc(&device, bytes));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMemsetAsync(device, 0, bytes, stream));

  std::vector<float> result(count, 7);
  CUDA_CHECK(cudaMemcpyAsync(result.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
  std::printf("%.0f\n", result[0]);

  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFree(device));
}
