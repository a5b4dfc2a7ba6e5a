// Chunks over four streams against one: copies and kernels overlap, and the events see it.
#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <vector>

struct stream_deleter { void operator()(cudaStream_t s) const { cudaStreamDestroy(s); } };
using stream_ptr = std::unique_ptr<CUstream_st, stream_deleter>;
struct pinned_deleter { void operator()(float* p) const { cudaFreeHost(p); } };
using pinned_ptr = std::unique_ptr<float[], pinned_deleter>;

stream_ptr make_stream() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return stream_ptr(s);
}

__global__ void work(float* data, int n, long long cycles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
  }
  __syncthreads();
  if (i < n) data[i] += 1.0f;
}

int main() {
  constexpr int n = 1 << 21, chunks = 8, chunk = n / chunks;
  pinned_ptr host([] {
    float* p;
    cudaMallocHost(&p, n * sizeof(float));
    return p;
  }());
  float* device;
  cudaMalloc(&device, n * sizeof(float));
  for (int i = 0; i < n; ++i) host[i] = 0;

  std::vector<stream_ptr> streams;
  for (int s = 0; s < 4; ++s) streams.push_back(make_stream());
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);

  auto pass = [&](std::size_t used) {
    cudaDeviceSynchronize();
    cudaEventRecord(start, streams[0].get());
    for (std::size_t s = 1; s < used; ++s) cudaStreamWaitEvent(streams[s].get(), start, 0);
    for (int c = 0; c < chunks; ++c) {
      cudaStream_t stream = streams[c % used].get();
      float *h = host.get() + c * chunk, *d = device + c * chunk;
      cudaMemcpyAsync(d, h, chunk * sizeof(float), cudaMemcpyHostToDevice, stream);
      work<<<chunk / 1024, 1024, 0, stream>>>(d, chunk, 20000);
      cudaMemcpyAsync(h, d, chunk * sizeof(float), cudaMemcpyDeviceToHost, stream);
    }
    for (std::size_t s = 1; s < used; ++s) {
      cudaEvent_t done;
      cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
      cudaEventRecord(done, streams[s].get());
      cudaStreamWaitEvent(streams[0].get(), done, 0);
      cudaEventDestroy(done);
    }
    cudaEventRecord(stop, streams[0].get());
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    return ms;
  };

  pass(1);  // warm-up
  float alone = pass(1), together = pass(4);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != 3.0f;
  std::printf("one stream %.3f ms, four streams %.3f ms\n", alone, together);
  std::printf("overlap helps: %s, wrong: %d\n", together < 0.85f * alone ? "yes" : "no", wrong);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFree(device);
}
