// A host function writes the result and says so, in a relaxed atomic behind a fence.

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
        std::atomic_thread_fence(std::memory_order_release);
        its.done.store(true, std::memory_order_relaxed);
      },
      &work);
  while (!work.done.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  std::printf("%d\n", *work.out);
  cudaDeviceSynchronize();
  cudaFreeHost(work.out);
}
