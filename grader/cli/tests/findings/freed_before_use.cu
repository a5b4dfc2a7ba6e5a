// Memory of the pool is freed in its stream in front of the kernel that uses it.

#include <cuda_runtime.h>

__global__ void fill(float* data) {
  data[threadIdx.x] = 1;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* scratch;
  cudaMallocAsync(&scratch, bytes, stream);
  fill<<<1, count, 0, stream>>>(scratch);
  cudaFreeAsync(scratch, stream);
  fill<<<1, count, 0, stream>>>(scratch);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
