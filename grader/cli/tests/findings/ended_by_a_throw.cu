// Nobody catches what the host throws where a kernel has still to write what it looks at.

#include <cuda_runtime.h>

#include <stdexcept>

__global__ void put(float* data, float value) {
  data[threadIdx.x] = value;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float* out;
  cudaMallocHost(&out, bytes);
  out[0] = 0;
  put<<<1, count>>>(out, 8);
  if (out[0] != 8) throw std::runtime_error("wrong");
  cudaDeviceSynchronize();
  cudaFreeHost(out);
}
