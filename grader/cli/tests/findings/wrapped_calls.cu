// Statements of several lines are quoted whole, as they are written; of very long ones, the first lines.
#include <cuda_runtime.h>

#define CHECKED(call) \
  if ((call) != cudaSuccess) return 1

// clang-format off
__global__ void scale(float* data, float factor) {
  data[threadIdx.x] *= factor;
}

int main() {
  float *data, *result;
  cudaMalloc(&data,
             64 * sizeof(float));
  CHECKED(
      cudaHostAlloc(&result,
                    64 * sizeof(float), 0));
  cudaStream_t copies, compute;
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);  // "; not ( here
  CHECKED(cudaStreamCreateWithFlags(
	    &compute,
    cudaStreamNonBlocking));
  cudaMemsetAsync(
      data,
      /* ; */ ';',
      64 * sizeof(float),  // all of it; not more
      copies);
  scale<<<1, 64, 0, compute>>>(data,

                               2);
  if (cudaMemcpyAsync(result, data,
                      64 * sizeof(float), cudaMemcpyDeviceToHost,
                      copies) != cudaSuccess)
    return 1;
  const float sum = result[0] +
                    result[1];
  cudaDeviceSynchronize();
  cudaStreamDestroy(copies);
  cudaStreamDestroy(compute);
  cudaFree(data);
  cudaFreeHost(result);
  return sum > 1e30f;
}
