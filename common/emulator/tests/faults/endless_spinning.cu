// A host thread spins on a flag that nobody sets, and main waits for its end.
#include <atomic>
#include <thread>

#include "report.hpp"

std::atomic<bool> stop{false};

int main() {
  std::thread spinning([] {
    while (!stop) std::this_thread::yield();
  });
  SHOW(cudaDeviceSynchronize());
  spinning.join();
}
