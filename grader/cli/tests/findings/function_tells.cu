// A host function writes the result and says so; the host waits for that, then reads.

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
        const std::lock_guard guard(its.mutex);
        its.done = true;
        its.changed.notify_one();
      },
      &work);
  {
    std::unique_lock lock(work.mutex);
    work.changed.wait(lock, [&] { return work.done.load(); });
  }
  std::printf("%d\n", *work.out);
  cudaDeviceSynchronize();
  cudaFreeHost(work.out);
}
