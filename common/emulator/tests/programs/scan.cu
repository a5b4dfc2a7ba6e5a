// Prefix sums in three kernels, Blelloch's work-efficient scan in shared memory; and a bitonic sort of many launches.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

using Index = unsigned int;

template <Index Size>
__global__ void scan_blocks(int* data, int* sums, Index n) {
  __shared__ int tree[Size];
  Index t = threadIdx.x, base = blockIdx.x * Size;
  for (Index k : {2 * t, 2 * t + 1}) tree[k] = base + k < n ? data[base + k] : 0;

  Index offset = 1;
  for (Index d = Size >> 1; d > 0; d >>= 1, offset <<= 1) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0) {
    sums[blockIdx.x] = tree[Size - 1];
    tree[Size - 1] = 0;
  }
  for (Index d = 1; d < Size; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      Index left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      int old = tree[left];
      tree[left] = tree[right];
      tree[right] += old;
    }
  }
  __syncthreads();
  for (Index k : {2 * t, 2 * t + 1})
    if (base + k < n) data[base + k] = tree[k];
}

__global__ void add_sums(int* data, const int* sums, Index n, Index size) {
  Index i = blockIdx.x * size + threadIdx.x;
  for (; i < min(n, (blockIdx.x + 1) * size); i += blockDim.x) data[i] += sums[blockIdx.x];
}

__global__ void bitonic_step(int* data, Index j, Index k) {
  Index i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ j;
  if (partner <= i) return;
  bool up = (i & k) == 0;
  if ((data[i] > data[partner]) == up) {
    int t = data[i];
    data[i] = data[partner];
    data[partner] = t;
  }
}

int main() {
  constexpr Index size = 256, n = 40000, blocks = (n + size - 1) / size;
  std::vector<int> values(n), back(n), expected(n);
  for (Index i = 0; i < n; ++i) values[i] = static_cast<int>((i * 7919u) % 101u);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);

  int *data, *sums, *top;
  cudaMalloc(&data, n * sizeof(int));
  cudaMalloc(&sums, size * sizeof(int));
  cudaMalloc(&top, sizeof(int));
  cudaMemset(sums, 0, size * sizeof(int));
  cudaMemcpy(data, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan_blocks<size><<<blocks, size / 2>>>(data, sums, n);
  scan_blocks<size><<<1, size / 2>>>(sums, top, blocks);
  add_sums<<<blocks, 64>>>(data, sums, n, size);
  cudaMemcpy(back.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("scan of %u: %s, last %d\n", n, back == expected ? "right" : "wrong", back[n - 1]);

  constexpr Index m = 1 << 12;
  cudaMemcpy(data, values.data(), m * sizeof(int), cudaMemcpyHostToDevice);
  int launches = 0;
  for (Index k = 2; k <= m; k <<= 1)
    for (Index j = k >> 1; j > 0; j >>= 1, ++launches) bitonic_step<<<m / 128, 128>>>(data, j, k);
  cudaMemcpy(back.data(), data, m * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("sorted %u with %d launches: %s\n", m, launches,
              std::is_sorted(back.begin(), back.begin() + m) ? "yes" : "no");
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
