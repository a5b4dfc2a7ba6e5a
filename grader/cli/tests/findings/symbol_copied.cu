// A kernel in a non-blocking stream writes a __device__ variable; cudaMemcpyFromSymbol does not wait for it.

#include <cuda_runtime.h>

namespace results {
__device__ float total;
}

__global__ void put(float value) {
  results::total = value;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  put<<<1, 1, 0, stream>>>(3);
  float seen = 0;
  cudaMemcpyFromSymbol(&seen, results::total, sizeof seen);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
