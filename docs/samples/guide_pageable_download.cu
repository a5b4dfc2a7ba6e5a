// Wrong: an asynchronous download to ordinary memory, read without a wait.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/stream.hpp"

int main() {
  const lab::stream stream;
  lab::device_buffer<int> data(1);
  const std::size_t bytes = data.size_bytes();
  std::vector<int> result(1, -1);  // ordinary, that is, pageable memory
  CUDA_CHECK(cudaMemsetAsync(data.data(), 0, bytes, stream.get()));

  CUDA_CHECK(cudaMemcpyAsync(result.data(), data.data(), bytes, cudaMemcpyDeviceToHost, stream.get()));
  std::printf("%d\n", result[0]);  // missing: cudaStreamSynchronize(stream)

  stream.sync();
}
