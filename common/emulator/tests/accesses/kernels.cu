// What kernels read and write, to the byte: whole arrays, every other element, single bytes, vectors,
// structs, copies, atomics, and nothing.
#include <cuda_runtime.h>

#include <cstring>

struct particle {
  double position[3];
  float mass;
  char kind;
};

__global__ void scale(float* data, int count, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}
__global__ void every_other(int* out) {
  out[2 * threadIdx.x] = 1;
}
__global__ void third_byte(unsigned char* out) {
  out[3 * threadIdx.x + 2] = 7;
}
__global__ void vectors(float4* to, const float4* from) {
  to[threadIdx.x] = from[threadIdx.x + 1];
}
__global__ void structs(particle* to, const particle* from) {
  to[0] = from[1];
  to[1].kind = from[0].kind;
}
__global__ void library_copy(char* to, const char* from) {
  std::memcpy(to + 5, from + 10, 20);
  std::memset(to + 100, 1, 3);
}
__global__ void count(int* counters, int* plain) {
  atomicAdd(&counters[threadIdx.x % 4], 1);
  if (threadIdx.x == 0) plain[0] = 1;
}
__global__ void nothing(int* out, bool write) {
  if (write) out[0] = 1;
}

int main() {
  char* device = nullptr;
  cudaMalloc(&device, 4096);
  cudaMemset(device, 0, 4096);
  scale<<<4, 64>>>(reinterpret_cast<float*>(device), 250, 2.0f);
  every_other<<<1, 3>>>(reinterpret_cast<int*>(device));
  third_byte<<<1, 3>>>(reinterpret_cast<unsigned char*>(device));
  vectors<<<1, 2>>>(reinterpret_cast<float4*>(device), reinterpret_cast<float4*>(device) + 10);
  structs<<<1, 1>>>(reinterpret_cast<particle*>(device), reinterpret_cast<particle*>(device + 1024));
  library_copy<<<1, 1>>>(device, device + 1024);
  count<<<1, 32>>>(reinterpret_cast<int*>(device), reinterpret_cast<int*>(device + 64));
  nothing<<<1, 1>>>(reinterpret_cast<int*>(device), false);
  cudaDeviceSynchronize();
  cudaFree(device);
}
