// The typed API and the device functions together, with real launches; 0 is success, else the failed line.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define EXPECT(condition) \
  if (!(condition)) return __LINE__

__constant__ float factors[4];
__device__ int counter;

__global__ void scale(float* out, const float* in, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const __half doubled = __float2half(__ldg(in + i)) * __half(2);
  out[i] = __half2float(doubled) * factors[i % 4] + min(i, 1u) * rsqrtf(4.0f) + __saturatef(-1.0f);
  atomicAdd(&counter, 1);
}

template <class T>
__global__ void fill(T* data, T value) {
  data[threadIdx.x] = value;
}

int main() {
  constexpr int n = 96;
  const float given[4] = {1, 2, 3, 4};
  float host[n];
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  float *in = nullptr, *out = nullptr;
  int count = 0;
  EXPECT(cudaMalloc(&in, sizeof host) == cudaSuccess);
  EXPECT(cudaMalloc(&out, sizeof host) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(factors, given, sizeof given) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(counter, &count, sizeof count) == cudaSuccess);
  EXPECT(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  scale<<<3, 32>>>(out, in, n);
  EXPECT(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&count, counter, sizeof count) == cudaSuccess);
  EXPECT(count == n);
  EXPECT(host[0] == 0);
  EXPECT(host[7] == 7 * 2 * 4 + 0.5f);

  float value = 5;
  void* arguments[] = {&out, &value};
  EXPECT(cudaLaunchKernel(fill<float>, dim3(1), dim3(32), arguments) == cudaSuccess);
  EXPECT(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(host[31] == 5);
  EXPECT(host[32] != 5);
  EXPECT(cudaLaunchKernel(fill<float>, dim3(1), dim3(2048), arguments) != cudaSuccess);
  EXPECT(cudaGetLastError() != cudaSuccess);

  int grid = 0, block = 0;
  std::size_t bytes = 0;
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale) == cudaSuccess);
  EXPECT(grid == 40 && block == 1024);
  EXPECT(cudaGetSymbolSize(&bytes, factors) == cudaSuccess);
  EXPECT(bytes == sizeof given);
  EXPECT(cudaFree(in) == cudaSuccess);
  EXPECT(cudaFree(out) == cudaSuccess);
  return 0;
}
