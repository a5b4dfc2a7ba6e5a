// Threads that nobody joins and that never end: one sleeps, one is blocked, one spins. The program ends
// without them.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "report.hpp"

std::mutex held;
std::atomic<bool> stop{false};

int main() {
  held.lock();
  std::thread([] {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  }).detach();
  std::thread([] { held.lock(); }).detach();
  std::thread([] {
    while (!stop) {
    }
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  SHOW(cudaDeviceSynchronize());
}
