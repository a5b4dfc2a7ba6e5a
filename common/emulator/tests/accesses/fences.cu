// Edges by fences, in relaxed atomics: what a thread did before its fence, not what it did behind it.
#include <cuda_runtime.h>

#include <atomic>
#include <thread>

int main() {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  std::atomic<int> ready{0};
  std::thread worker([&] {
    pinned[0] = 1;
    std::atomic_thread_fence(std::memory_order_release);
    pinned[1] = 1;
    ready.store(1, std::memory_order_relaxed);
  });
  while (ready.load(std::memory_order_relaxed) == 0) {
  }
  pinned[2] = 1;
  std::atomic_thread_fence(std::memory_order_acquire);
  pinned[3] = pinned[0];
  worker.join();
  cudaFreeHost(pinned);
}
