// Work over 32 streams, each piece of which waits for its neighbour's: OPERATIONS of them, and a wait of the
// host behind every BETWEEN-th (0: none).

#include <cuda_runtime.h>

#include <cstdlib>

__global__ void touch(int* data) {
  ++*data;
}

int main(int argc, char** argv) {
  const int operations = argc > 1 ? std::atoi(argv[1]) : 100'000, between = argc > 2 ? std::atoi(argv[2]) : 0;
  constexpr int lanes = 32;
  cudaStream_t streams[lanes];
  cudaEvent_t events[lanes];
  int* data;
  cudaMalloc(&data, lanes * sizeof(int));
  cudaMemset(data, 0, lanes * sizeof(int));
  cudaDeviceSynchronize();
  for (int i = 0; i < lanes; ++i) {
    cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming);
  }
  constexpr int in_a_step = 4;
  for (int i = 0; i < operations / in_a_step; ++i) {
    const int lane = i % lanes, neighbour = (i + 1) % lanes;
    touch<<<1, 1, 0, streams[lane]>>>(data + lane);
    cudaEventRecord(events[lane], streams[lane]);
    cudaStreamWaitEvent(streams[neighbour], events[lane]);
    touch<<<1, 1, 0, streams[neighbour]>>>(data + neighbour);
    if (between > 0 && i % between == 0) cudaStreamSynchronize(streams[lane]);
  }
  cudaDeviceSynchronize();
  for (int i = 0; i < lanes; ++i) {
    cudaEventDestroy(events[i]);
    cudaStreamDestroy(streams[i]);
  }
  cudaFree(data);
}
