// One queue or two: who waits for whom without being told to.
#include <chrono>
#include <cstdio>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

// Kernels of 40 ms, one in each of the given streams, in this order; then the time until all are done.
template <class... Streams>
void run(const char* what, Streams... streams) {
  const auto begin = std::chrono::steady_clock::now();
  (lab::launch_spin(40ms, streams), ...);
  CUDA_CHECK(cudaDeviceSynchronize());
  const auto end = std::chrono::steady_clock::now();
  std::printf("%-41s %3.0f ms\n", what, std::chrono::duration<double, std::milli>(end - begin).count());
}

int main() {
  cudaStream_t ordinary, another, non_blocking, another_non_blocking;
  CUDA_CHECK(cudaStreamCreate(&ordinary));
  CUDA_CHECK(cudaStreamCreate(&another));
  CUDA_CHECK(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&another_non_blocking, cudaStreamNonBlocking));
  lab::launch_spin(1ms, ordinary);
  CUDA_CHECK(cudaDeviceSynchronize());

  run("one stream, twice", ordinary, ordinary);
  run("two streams", ordinary, another);
  run("two streams, the default one in between", ordinary, cudaStreamLegacy, another);
  run("the same, with non-blocking streams", non_blocking, cudaStreamLegacy, another_non_blocking);

  for (cudaStream_t each : {ordinary, another, non_blocking, another_non_blocking}) {
    CUDA_CHECK(cudaStreamDestroy(each));
  }
}
