// How long each wait holds the CPU. Stream `near` has a kernel of 20 ms and one of 40 ms behind it, with an
// event between the two; stream `far` has a kernel of 100 ms.
#include <chrono>
#include <cstdio>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

cudaStream_t near, far;
cudaEvent_t between;

template <class Wait>
void hold(const char* what, Wait wait) {
  lab::launch_spin(20ms, near);
  CUDA_CHECK(cudaEventRecord(between, near));
  lab::launch_spin(40ms, near);
  lab::launch_spin(100ms, far);
  const auto begin = std::chrono::steady_clock::now();
  wait();
  const auto end = std::chrono::steady_clock::now();
  std::printf("%-22s %4.0f ms\n", what, std::chrono::duration<double, std::milli>(end - begin).count());
  CUDA_CHECK(cudaDeviceSynchronize());
}

int main() {
  CUDA_CHECK(cudaStreamCreateWithFlags(&near, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&far, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&between, cudaEventDisableTiming));
  lab::launch_spin(1ms, near);
  CUDA_CHECK(cudaDeviceSynchronize());

  hold("cudaEventQuery", [] { static_cast<void>(cudaEventQuery(between)); });
  hold("cudaStreamWaitEvent", [] { CUDA_CHECK(cudaStreamWaitEvent(far, between, 0)); });
  hold("cudaEventSynchronize", [] { CUDA_CHECK(cudaEventSynchronize(between)); });
  hold("cudaStreamSynchronize", [] { CUDA_CHECK(cudaStreamSynchronize(near)); });
  hold("cudaDeviceSynchronize", [] { CUDA_CHECK(cudaDeviceSynchronize()); });

  CUDA_CHECK(cudaEventDestroy(between));
  CUDA_CHECK(cudaStreamDestroy(far));
  CUDA_CHECK(cudaStreamDestroy(near));
}
