// Memory given back while a kernel may still use it.
#include "lab/workload.hpp"

using namespace std::chrono_literals;

__global__ void fill(float* data) {
  data[threadIdx.x] = 1;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  cudaStream_t compute, memory;
  CUDA_CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&memory, cudaStreamNonBlocking));
  float* scratch;
  CUDA_CHECK(cudaMallocAsync(&scratch, bytes, memory));
  CUDA_CHECK(cudaStreamSynchronize(memory));

  fill<<<1, count, 0, compute>>>(scratch);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaFreeAsync(scratch, memory));  // in order in `memory`; the kernel is in `compute`

  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(memory));
  CUDA_CHECK(cudaStreamDestroy(compute));
}
