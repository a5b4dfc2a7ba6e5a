// Wrong: what makes the host wait here is cudaFree of something else.

#include <cuda_runtime.h>

#include <cstdio>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

using namespace std::chrono_literals;

int main() {
  const lab::stream stream;
  lab::device_buffer<int> data(1);
  const std::size_t bytes = data.size_bytes();
  lab::pinned_buffer<int> result(1);
  result[0] = -1;
  void* scratch = nullptr;
  CUDA_CHECK(cudaMalloc(&scratch, 1024));
  CUDA_CHECK(cudaMemsetAsync(data.data(), 0, bytes, stream.get()));

  CUDA_CHECK(cudaMemcpyAsync(result.data(), data.data(), bytes, cudaMemcpyDeviceToHost, stream.get()));
  CUDA_CHECK(cudaFree(scratch));   // happens to wait for the whole device
  std::printf("%d\n", result[0]);  // missing: cudaStreamSynchronize(stream)

  stream.sync();
}
