// What an event stands for: nothing, then its newest record. A stream's wait keeps the record it was issued
// with.
#include <chrono>
#include <cstdio>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

int main() {
  cudaStream_t work, other;
  CUDA_CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t mark;
  CUDA_CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));

  std::printf("never recorded: %s\n", cudaGetErrorName(cudaEventQuery(mark)));

  lab::launch_spin(20ms, work);
  CUDA_CHECK(cudaEventRecord(mark, work));  // behind 20 ms
  std::printf("just recorded:  %s\n", cudaGetErrorName(cudaEventQuery(mark)));

  CUDA_CHECK(cudaStreamWaitEvent(other, mark, 0));  // keeps the record above
  lab::launch_spin(60ms, work);
  CUDA_CHECK(cudaEventRecord(mark, work));  // behind 80 ms: what the event means from here on

  CUDA_CHECK(cudaStreamSynchronize(other));
  std::printf("the other stream has gone on; the event: %s\n", cudaGetErrorName(cudaEventQuery(mark)));
  CUDA_CHECK(cudaEventSynchronize(mark));
  std::printf("waited for; the event: %s\n", cudaGetErrorName(cudaEventQuery(mark)));

  CUDA_CHECK(cudaEventDestroy(mark));
  CUDA_CHECK(cudaStreamDestroy(other));
  CUDA_CHECK(cudaStreamDestroy(work));
}
