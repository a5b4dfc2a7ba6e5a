// The host waits for one piece of work, and not for what is queued behind it.

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
  lab::device_buffer<float> data(256);
  const std::size_t bytes = data.size_bytes();
  lab::pinned_buffer<float> result(256);
  cudaEvent_t downloaded;
  CUDA_CHECK(cudaEventCreateWithFlags(&downloaded, cudaEventDisableTiming));
  CUDA_CHECK(cudaMemsetAsync(data.data(), 0, bytes, stream.get()));

  CUDA_CHECK(cudaMemcpyAsync(result.data(), data.data(), bytes, cudaMemcpyDeviceToHost, stream.get()));
  CUDA_CHECK(cudaEventRecord(downloaded, stream.get()));
  lab::launch_spin(50ms, stream);                // somebody's next work
  CUDA_CHECK(cudaEventSynchronize(downloaded));  // returns while that still runs
  std::printf("result %g; the next work is %s\n", result[0], stream.is_done() ? "done" : "still running");

  stream.sync();
  CUDA_CHECK(cudaEventDestroy(downloaded));
}
