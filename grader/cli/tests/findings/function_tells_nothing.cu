// A host function writes the result; the host reads it some time later.

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

struct job {
  int* out;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> done{false};
};

int main() {
  job work;
  cudaMallocHost(&work.out, sizeof(int));
  cudaMemsetAsync(work.out, 0, sizeof(int), nullptr);
  cudaLaunchHostFunc(
      nullptr,
      [](void* data) {
        auto& its = *static_cast<job*>(data);
        *its.out += 1;
      },
      &work);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::printf("%d\n", *work.out);
  cudaDeviceSynchronize();
  cudaFreeHost(work.out);
}
