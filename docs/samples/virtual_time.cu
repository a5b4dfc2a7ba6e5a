// Ten seconds of a GPU, of a sleep and of a clock, in an instant of yours.
#include <chrono>
#include <cstdio>
#include <thread>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

int main() {
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d multiprocessors\n", properties.name, properties.multiProcessorCount);

  const auto begin = std::chrono::steady_clock::now();
  lab::launch_spin(10s, cudaStreamLegacy);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::this_thread::sleep_for(10s);
  const auto end = std::chrono::steady_clock::now();
  std::printf("%.0f s\n", std::chrono::duration<double>(end - begin).count());
}
