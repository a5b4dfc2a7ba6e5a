// Flags in pinned memory, of every size: what is volatile counts as atomic there, and nowhere else; what the
// kernel tells by one is a thread of its own.
#include <cuda_runtime.h>

struct flags {
  volatile long long eight;
  volatile int four;
  volatile short two;
  volatile char one;
  int plain;
};

__global__ void answer(flags* talk, int* data) {
  while (talk->eight == 0) {
  }
  __threadfence_system();
  data[1] = data[0] + 1;
  __threadfence_system();
  talk->two = 1;
  talk->plain = 2;
}
__global__ void count(volatile int* device, int* pinned) {
  device[0] = device[1];
  atomicAdd(pinned, 1);
}

int main() {
  flags* talk = nullptr;
  int *data = nullptr, *device = nullptr;
  cudaMallocHost(&talk, sizeof(flags));
  cudaMallocHost(&data, 8);
  cudaMalloc(&device, 8);
  cudaMemset(device, 0, 8);
  talk->eight = 0;
  talk->four = 3;
  talk->one = 3;
  talk->two = 0;
  answer<<<1, 1>>>(talk, data);
  data[0] = 1;
  talk->eight = 1;
  while (talk->two == 0) {
  }
  const int seen = data[1];
  cudaDeviceSynchronize();
  count<<<1, 1>>>(device, &data[1]);
  volatile int local = seen;
  cudaDeviceSynchronize();
  cudaFree(device);
  cudaFreeHost(data);
  cudaFreeHost(talk);
  return local == 2 ? 0 : 1;
}
