// The host asks whether work is done, and does something else where it is not.

#include <cuda_runtime.h>

#include <cstdio>
#include <thread>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

using namespace std::chrono_literals;

// Something that takes some time and needs no GPU.
static void serve_a_request() {
  std::this_thread::sleep_for(1ms);
}

int main() {
  const lab::stream stream;
  lab::device_buffer<int> data(1);
  const std::size_t bytes = data.size_bytes();
  lab::pinned_buffer<int> result(1);
  cudaEvent_t done;
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CUDA_CHECK(cudaMemsetAsync(data.data(), 0, bytes, stream.get()));
  lab::launch_spin(10500us, stream);
  CUDA_CHECK(cudaMemcpyAsync(result.data(), data.data(), bytes, cudaMemcpyDeviceToHost, stream.get()));
  CUDA_CHECK(cudaEventRecord(done, stream.get()));

  int served = 0;
  cudaError_t answer = cudaEventQuery(done);
  while (answer == cudaErrorNotReady) {
    serve_a_request();
    ++served;
    answer = cudaEventQuery(done);
  }
  CUDA_CHECK(answer);  // done, or failed: an endless loop asks only for "not ready"
  std::printf("result %d, requests served meanwhile: %s\n", result[0], served > 5 ? "some" : "hardly any");

  CUDA_CHECK(cudaEventDestroy(done));
}
