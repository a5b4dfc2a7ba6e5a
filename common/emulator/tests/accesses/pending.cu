// What is still to be done when the program ends has its accesses in the record too, and shows nowhere else:
// host functions are not called, nothing is printed, no fault is told, and nobody waits for a kernel that
// waits.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__device__ int total;
__device__ int table[2][8];

__global__ void outlast_the_program() {
  for (const long long start = clock64(); clock64() - start < 100'000'000;) {
  }
}
__global__ void put(int* data) {
  data[threadIdx.x] = 1;
  if (threadIdx.x == 0) std::printf("a kernel\n");
}
__global__ void sum(const int* data) {
  atomicAdd(&total, data[threadIdx.x]);
  table[1][threadIdx.x] = 1;
}
__global__ void miss(int* data) {
  data[threadIdx.x] = 2;
  data[1 << 20] = 3;
}
__global__ void wait_for(const volatile int* flag, int* data) {
  data[0] = 4;
  while (*flag == 0) {
  }
  data[1] = 5;
}

int main() {
  int *device = nullptr, *flag = nullptr;
  cudaMalloc(&device, 64);
  cudaMallocHost(&flag, 4);
  *flag = 0;
  cudaStream_t streams[3];
  for (auto& stream : streams) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    outlast_the_program<<<1, 1, 0, stream>>>();
  }
  cudaLaunchHostFunc(
      streams[0], [](void*) { std::puts("a host function"); }, nullptr);
  put<<<1, 8, 0, streams[0]>>>(device);
  sum<<<1, 8, 0, streams[0]>>>(device);
  miss<<<1, 2, 0, streams[1]>>>(device + 8);
  put<<<1, 1, 0, streams[1]>>>(device);  // never
  wait_for<<<1, 1, 0, streams[2]>>>(flag, device + 12);
  std::puts("the end");
  std::exit(3);
}
