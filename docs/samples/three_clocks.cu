// One kernel behind other work, and what each clock makes of it.
#include <chrono>
#include <cstdio>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

int main() {
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  lab::launch_spin(1ms, stream);
  CUDA_CHECK(cudaStreamSynchronize(stream));

  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto ms = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };

  lab::launch_spin(30ms, stream);  // somebody else's work, still in the queue

  const auto begin = now();
  CUDA_CHECK(cudaEventRecord(start, stream));
  lab::launch_spin(50ms, stream);
  CUDA_CHECK(cudaEventRecord(stop, stream));
  const auto submitted = now();

  float elapsed = -1;
  std::printf("elapsed time, too early: %s, %.0f\n",
              cudaGetErrorName(cudaEventElapsedTime(&elapsed, start, stop)), elapsed);
  CUDA_CHECK(cudaEventSynchronize(stop));
  const auto end = now();
  CUDA_CHECK(cudaEventElapsedTime(&elapsed, start, stop));

  std::printf("submission:              %3.0f ms\n", ms(submitted - begin));
  std::printf("host clock, with a wait: %3.0f ms\n", ms(end - begin));
  std::printf("events:                  %3.0f ms\n", elapsed);

  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaStreamDestroy(stream));
}
