// Each frame gets its memory from the pool and gives it back, all in stream order; the host waits once.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t status = (call);                                            \
    if (status != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      return 1;                                                                   \
    }                                                                             \
  } while (0)

__global__ void fill(int* frame, int n, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) frame[i] = value + i;
}

__global__ void sum(const int* frame, int n, int* total) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(total, frame[i]);
}

int main() {
  constexpr int frames = 12, n = 1000;
  cudaStream_t make, use;
  CHECK(cudaStreamCreateWithFlags(&make, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&use, cudaStreamNonBlocking));
  cudaEvent_t made;
  CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));

  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long keep = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));

  int* totals = nullptr;
  CHECK(cudaMallocAsync(&totals, frames * sizeof(int), use));
  CHECK(cudaMemsetAsync(totals, 0, frames * sizeof(int), use));
  for (int frame = 0; frame < frames; ++frame) {
    int* data = nullptr;
    CHECK(cudaMallocAsync(&data, n * sizeof(int), make));
    fill<<<(n + 255) / 256, 256, 0, make>>>(data, n, frame);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(made, make));
    CHECK(cudaStreamWaitEvent(use, made, 0));
    sum<<<(n + 255) / 256, 256, 0, use>>>(data, n, totals + frame);
    CHECK(cudaGetLastError());
    CHECK(cudaFreeAsync(data, use));
  }
  std::vector<int> host(frames);
  CHECK(cudaMemcpyAsync(host.data(), totals, frames * sizeof(int), cudaMemcpyDeviceToHost, use));
  CHECK(cudaFreeAsync(totals, use));
  CHECK(cudaStreamSynchronize(use));
  for (int frame = 0; frame < frames; ++frame) {
    std::printf("frame %d: %d, expected %d\n", frame, host[frame], n * frame + n * (n - 1) / 2);
  }
  unsigned long long used = 1;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  std::printf("in use at the end: %llu bytes\n", used);
  CHECK(cudaEventDestroy(made));
  CHECK(cudaStreamDestroy(make));
  CHECK(cudaStreamDestroy(use));
}
