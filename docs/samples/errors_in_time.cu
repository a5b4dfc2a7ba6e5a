// When each kind of error is told, by whom, and whether it goes away.
#include <cstdio>

#include "lab/workload.hpp"

using namespace std::chrono_literals;

__global__ void broken(int* nowhere) {
  lab::spin_for(1000000);
  *nowhere = 1;
}

void say(const char* what, cudaError_t status) {
  std::printf("%-40s %s\n", what, cudaGetErrorName(status));
}

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that lines come in the order of what happened
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t done;
  CUDA_CHECK(cudaEventCreate(&done));

  std::puts("A call that is wrong itself");
  say("  cudaMalloc of a null pointer", cudaMalloc(static_cast<void**>(nullptr), 16));
  say("  cudaStreamQuery, which is fine", cudaStreamQuery(stream));
  say("  cudaGetLastError", cudaGetLastError());
  say("  cudaGetLastError again", cudaGetLastError());

  std::puts("Not ready, which is no error");
  lab::launch_spin(5ms, stream);
  CUDA_CHECK(cudaEventRecord(done, stream));
  say("  cudaEventQuery", cudaEventQuery(done));
  say("  cudaGetLastError", cudaGetLastError());
  CUDA_CHECK(cudaEventSynchronize(done));

  std::puts("A kernel that fails while it runs");
  broken<<<1, 1, 0, stream>>>(nullptr);
  say("  cudaGetLastError behind the launch", cudaGetLastError());
  say("  cudaStreamSynchronize", cudaStreamSynchronize(stream));
  say("  cudaGetLastError", cudaGetLastError());
  int* memory;
  say("  cudaMalloc, which is fine", cudaMalloc(&memory, 16));
}
