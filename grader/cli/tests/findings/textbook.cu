// The first program of every textbook: nothing is wrong.

#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] = a[i] + b[i];
}

int main() {
  constexpr int count = 1000, bytes = count * sizeof(float);
  static float a[count], b[count], sum[count];
  for (int i = 0; i < count; ++i) a[i] = b[i] = 1;
  float *device_a, *device_b, *device_sum;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_sum, bytes);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  add<<<(count + 255) / 256, 256>>>(device_a, device_b, device_sum, count);
  cudaMemcpy(sum, device_sum, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_sum);
  return sum[0] == 2 ? 0 : 1;
}
