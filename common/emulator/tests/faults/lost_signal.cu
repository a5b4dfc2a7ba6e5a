// A thread waits for a condition that nobody signals any more.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "report.hpp"

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread waiter([&] {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock);
  });
  SHOW(cudaDeviceSynchronize());
  waiter.join();
}
