// Edges between host threads: start and end, a mutex, an atomic flag; of a loop that asks, what it learns.
#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <thread>

int main() {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  pinned[0] = 0;
  std::mutex mutex;
  std::atomic<bool> ready{false};
  std::thread worker([&] {
    while (!ready.load(std::memory_order_acquire)) {
    }
    const std::lock_guard guard(mutex);
    pinned[0] += 1;
  });
  {
    const std::lock_guard guard(mutex);
    pinned[0] += 1;
  }
  ready.store(true, std::memory_order_release);
  worker.join();
  pinned[1] = pinned[0];
  cudaFreeHost(pinned);
}
