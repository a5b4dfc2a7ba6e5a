// A launch hands a kernel over and returns; the kernel runs later.
#include <chrono>
#include <cstdio>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

int main() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  lab::launch_spin(1ms, stream);  // the first launch loads the kernel, which is not the question here
  CUDA_CHECK(cudaStreamSynchronize(stream));

  const auto begin = std::chrono::steady_clock::now();
  const auto since = [begin] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int i = 0; i < 4; ++i) lab::launch_spin(20ms, stream);
  std::printf("four kernels handed over: %3.0f ms\n", since());
  CUDA_CHECK(cudaStreamSynchronize(stream));
  std::printf("four kernels done:        %3.0f ms\n", since());

  CUDA_CHECK(cudaStreamDestroy(stream));
}
