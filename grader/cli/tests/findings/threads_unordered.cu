// Two host threads submit to one stream, and neither waits for the other.

#include <cuda_runtime.h>

#include <thread>

__global__ void scale(float* data) {
  data[threadIdx.x] *= 2;
}

int main() {
  constexpr int count = 256, bytes = count * sizeof(float);
  float *in, *out, *device;
  cudaMallocHost(&in, bytes);
  cudaMallocHost(&out, bytes);
  cudaMalloc(&device, bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 0; i < count; ++i) in[i] = 1;

  std::thread loads([&] { cudaMemcpyAsync(device, in, bytes, cudaMemcpyHostToDevice, stream); });
  std::thread works([&] { scale<<<1, count, 0, stream>>>(device); });
  loads.join();
  works.join();
  cudaMemcpyAsync(out, device, bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const bool right = out[0] == 2;

  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(out);
  cudaFreeHost(in);
  return right ? 0 : 1;
}
