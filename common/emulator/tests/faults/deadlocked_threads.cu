// Two threads take two locks, each in its own order.
#include <mutex>
#include <thread>

#include "report.hpp"

int main() {
  std::mutex first, second;
  const auto take = [](std::mutex& one, std::mutex& other) {
    std::lock_guard<std::mutex> outer(one);
    SHOW(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::lock_guard<std::mutex> inner(other);
  };
  std::thread thread(take, std::ref(first), std::ref(second));
  take(second, first);
  thread.join();
}
