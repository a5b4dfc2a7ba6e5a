#include <cuda_runtime.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

// The interposed functions with the whole emulator, as a program meets them: everything in virtual time,
// beside work on the device. Ends with the number of expectations that failed.

using namespace std::chrono_literals;

namespace {

int failures = 0;

void expect(const char* what, double found, double low, double high) {
  if (found >= low && found <= high) return;
  ++failures;
  std::printf("%s: %g, not in [%g, %g]\n", what, found, low, high);
}

template <typename Action>
double milliseconds_of(Action action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

__global__ void write_indices(int* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = i;
}

void threads_sleep_side_by_side() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) {
    threads.emplace_back([i] { std::this_thread::sleep_for(i * 10ms); });
  }
  for (auto& thread : threads) thread.join();
}

void wait_for_device_thread() {
  constexpr int count = 1000;
  std::mutex mutex;
  std::condition_variable condition;
  std::vector<int> result(count);
  bool done = false;
  std::thread worker([&] {
    int* out = nullptr;
    cudaMalloc(&out, count * sizeof(int));
    write_indices<<<4, 256>>>(out, count);
    cudaMemcpy(result.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(out);
    std::this_thread::sleep_for(3ms);
    {
      const std::lock_guard guard(mutex);
      done = true;
    }
    condition.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return done; });
  }
  worker.join();
  expect("last element", result.back(), count - 1, count - 1);
}

double cpu_milliseconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// The process's CPU time counts what each thread worked: from its start on, and also when it has ended.
void count_cpu_time() {
  std::this_thread::sleep_for(50ms);
  const double begin = cpu_milliseconds();
  std::thread worker([] {
    const auto end = std::chrono::steady_clock::now() + 20ms;
    while (std::chrono::steady_clock::now() < end) {
    }
    std::this_thread::sleep_for(30ms);
  });
  worker.join();
  expect("CPU time with an ended thread", cpu_milliseconds() - begin, 20, 20.5);
}

/// Many switches between threads: the baton must never be in two hands.
void yield_in_turns() {
  std::mutex mutex;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 500; ++j) {
        const std::lock_guard guard(mutex);
        const int seen = counter;
        std::this_thread::yield();
        counter = seen + 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  expect("counter", counter, 2000, 2000);
}

}  // namespace

int main() {
  cudaFree(nullptr);  // creates the context, which takes long
  expect("sleeps side by side", milliseconds_of(threads_sleep_side_by_side), 40, 40.5);
  expect("a condition set by a thread that uses the device", milliseconds_of(wait_for_device_thread), 3, 5);
  yield_in_turns();
  count_cpu_time();

  auto slow = std::async(std::launch::async, [] {
    std::this_thread::sleep_for(100ms);
    return 5;
  });
  expect("future that times out", milliseconds_of([&] { slow.wait_for(30ms); }), 30, 30.1);
  expect("future that arrives", milliseconds_of([&] { slow.get(); }), 69, 70.5);

  std::timed_mutex timed;
  timed.lock();
  expect("timed mutex", milliseconds_of([&] {
           std::thread([&] { expect("try_lock_for", timed.try_lock_for(20ms), 0, 0); }).join();
         }),
         20, 20.5);

  const std::clock_t used = std::clock();
  std::this_thread::sleep_for(1s);
  expect("CPU time of a sleep (us)", static_cast<double>(std::clock() - used), 0, 100);
  expect("seconds since 1970", static_cast<double>(std::time(nullptr)), 1767225600, 1767225610);
  return failures;
}
