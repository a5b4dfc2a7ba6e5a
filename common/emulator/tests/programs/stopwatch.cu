// Three ways to time a kernel with <chrono>, two of them wrong, and an event pair beside them.
#include <cuda_runtime.h>

#include <chrono>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <thread>

using namespace std::chrono_literals;
using milliseconds = std::chrono::duration<double, std::milli>;

template <typename Clock = std::chrono::steady_clock>
class stopwatch {
  typename Clock::time_point start_ = Clock::now();

 public:
  auto elapsed() const { return milliseconds(Clock::now() - start_); }
  auto lap() {
    auto const now = Clock::now();
    auto const result = milliseconds(now - start_);
    start_ = now;
    return result;
  }
};

__global__ void spin(long long cycles) {
  auto const start = clock64();
  while (clock64() - start < cycles) continue;
}

static bool near(milliseconds a, milliseconds b) { return a > 0.9 * b && a < 1.1 * b; }

int main() {
  int khz = 0;
  cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
  auto const cycles = 20LL * khz;  // 20 ms
  spin<<<1, 1>>>(cycles);
  cudaDeviceSynchronize();

  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);

  std::cout << std::fixed << std::setprecision(3) << std::boolalpha;

  stopwatch<> submit;
  spin<<<1, 1>>>(cycles);
  auto const submitted = submit.lap();
  cudaDeviceSynchronize();
  auto const waited = submit.lap();

  stopwatch<std::chrono::high_resolution_clock> whole;
  cudaEventRecord(begin);
  spin<<<1, 1>>>(cycles);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  auto const all = whole.elapsed();
  float event_ms = 0;
  cudaEventElapsedTime(&event_ms, begin, end);

  std::cout << "submit only: " << submitted.count() << " ms\n";
  std::cout << "with a wait: " << all.count() << " ms\n";
  std::cout << "by events:   " << event_ms << " ms\n";
  std::cout << "the launch returned long before the kernel ended: " << (submitted < 0.1 * waited) << '\n';
  std::cout << "host and events agree: " << near(all, milliseconds(event_ms)) << '\n';

  stopwatch<std::chrono::system_clock> nap;
  auto const deadline = std::chrono::steady_clock::now() + 30ms;
  std::this_thread::sleep_until(deadline);
  std::cout << "slept: " << (nap.elapsed() > 29ms) << ", past the deadline: "
            << (std::chrono::steady_clock::now() >= deadline) << '\n';

  auto const cpu_before = std::clock();
  spin<<<1, 1>>>(cycles);
  std::this_thread::sleep_for(50ms);
  auto const query = cudaStreamQuery(nullptr);
  auto const cpu = milliseconds(1000.0 * double(std::clock() - cpu_before) / CLOCKS_PER_SEC);
  std::cout << "done after the nap: " << cudaGetErrorName(query) << ", which took no CPU time: " << (cpu < 25ms) << '\n';
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
}
