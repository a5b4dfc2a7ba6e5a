// The host searches, copies and sums up, by way of the standard library, what the download has yet to write.

#include <cuda_runtime.h>

#include <algorithm>
#include <numeric>
#include <vector>

__global__ void put(int* data) {
  for (const long long start = clock64(); clock64() - start < 10000000;) {  // longer than the host takes
  }
  data[threadIdx.x] = 1000 - static_cast<int>(threadIdx.x);
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(int);
  int *device, *out;
  cudaMalloc(&device, bytes);
  cudaMallocHost(&out, bytes);
  for (int i = 0; i < count; ++i) out[i] = (i * 37) % count;
  put<<<1, count>>>(device);
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, nullptr);
  const int largest = *std::max_element(out, out + count);
  std::vector<int> copied(count);
  cudaGetLastError();  // what the host uses between two calls is in no order
  std::copy(out, out + count, copied.begin());
  cudaGetLastError();
  const int sum = std::accumulate(out, out + count, 0);
  cudaDeviceSynchronize();
  cudaFreeHost(out);
  cudaFree(device);
  return sum == 0 && copied[0] == 0 && largest == 0 ? 2 : 0;
}
