// Several streams are joined in one; the host waits for that one, and not for a stream that is busy with
// something else.

#include <cuda_runtime.h>

#include <array>
#include <cstdio>

#include "lab/check.hpp"
#include "lab/device_buffer.hpp"
#include "lab/pinned_buffer.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

using namespace std::chrono_literals;

static __global__ void store(int* place, int value) {
  *place = value;
}

int main() {
  const lab::stream unrelated;
  lab::launch_spin(80ms, unrelated);

  constexpr int branches = 3;
  const std::array<lab::stream, branches> streams;
  std::array<cudaEvent_t, branches> stored{};
  lab::device_buffer<int> parts(branches);
  const std::size_t bytes = parts.size_bytes();
  lab::pinned_buffer<int> result(branches);
  for (int i = 0; i < branches; ++i) {
    CUDA_CHECK(cudaEventCreateWithFlags(&stored[i], cudaEventDisableTiming));
    store<<<1, 1, 0, streams[i].get()>>>(parts.data() + i, i + 1);
    CUDA_CHECK(cudaGetLastError());
  }

  const lab::stream& joined = streams[0];
  for (int i = 1; i < branches; ++i) {
    CUDA_CHECK(cudaEventRecord(stored[i], streams[i].get()));
    CUDA_CHECK(cudaStreamWaitEvent(joined.get(), stored[i], 0));
  }
  CUDA_CHECK(cudaMemcpyAsync(result.data(), parts.data(), bytes, cudaMemcpyDeviceToHost, joined.get()));
  CUDA_CHECK(cudaStreamSynchronize(joined.get()));  // cudaDeviceSynchronize would wait for unrelated, too
  std::printf("%d %d %d; unrelated is %s\n", result[0], result[1], result[2],
              unrelated.is_done() ? "done" : "still running");

  unrelated.sync();
  for (cudaEvent_t each : stored) CUDA_CHECK(cudaEventDestroy(each));
}
