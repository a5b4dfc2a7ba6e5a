// A host function says that the result is there before it writes it.

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
        its.done.store(true, std::memory_order_release);
        *its.out += 1;
      },
      &work);
  while (!work.done.load(std::memory_order_acquire)) std::this_thread::yield();
  std::printf("%d\n", *work.out);
  cudaDeviceSynchronize();
  cudaFreeHost(work.out);
}
