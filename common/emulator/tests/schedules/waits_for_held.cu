// Every way in which the host waits for work: however long that is held back, the wait lasts.

#include <cuda_runtime.h>

#include <cstdio>

int main() {
  unsigned char *out, *device;
  cudaMallocHost(&out, 4);
  cudaMalloc(&device, 1);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaMemsetAsync(device, 9, 1, stream);
  const auto bring = [&](int i) {
    cudaMemcpyAsync(out + i, device, 1, cudaMemcpyDeviceToHost, stream);
    cudaEventRecord(event, stream);
  };
  bring(0);
  cudaStreamSynchronize(stream);
  bring(1);
  cudaEventSynchronize(event);
  bring(2);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  bring(3);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}
