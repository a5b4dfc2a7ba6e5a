// CUDA from several host threads: std::async, futures, promises, one stream each.
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

__global__ void squares(int* out, int first, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = (first + i) * (first + i);
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

long long sum_of_squares(int first, int count) {
  cudaStream_t stream;
  int* device = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaMalloc(&device, count * sizeof(int)));
  squares<<<(count + 127) / 128, 128, 0, stream>>>(device, first, count);
  check(cudaGetLastError());
  std::vector<int> host(count);
  check(cudaMemcpyAsync(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaFree(device));
  check(cudaStreamDestroy(stream));
  return std::accumulate(host.begin(), host.end(), 0LL);
}

int main() {
  std::vector<std::future<long long>> parts;
  for (int t = 0; t < 4; ++t) parts.push_back(std::async(std::launch::async, sum_of_squares, t * 250, 250));
  long long total = 0;
  for (auto& part : parts) total += part.get();
  std::cout << "sum of squares below 1000: " << total << '\n';

  auto failing = std::async(std::launch::async, [] { return sum_of_squares(0, -5); });
  try {
    failing.get();
    std::cout << "no exception\n";
  } catch (std::exception const& e) {
    std::cout << "exception from the other thread\n";
  }

  std::promise<int*> ready;
  auto pointer = ready.get_future();
  std::thread producer([&ready] {
    int* data = nullptr;
    check(cudaMallocHost(&data, 64 * sizeof(int)));
    squares<<<1, 64>>>(data, 10, 64);
    check(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ready.set_value(data);
  });
  if (pointer.wait_for(std::chrono::microseconds(1)) == std::future_status::timeout) std::cout << "not yet\n";
  int* data = pointer.get();
  producer.join();
  std::cout << "data[2] = " << data[2] << '\n';
  check(cudaFreeHost(data));

  std::atomic<int> started{0};
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      ++started;
      while (started < 3) std::this_thread::yield();
      std::lock_guard<std::mutex> lock(mutex);
      order.push_back(t);
    });
  for (auto& thread : threads) thread.join();
  std::cout << order.size() << " threads met\n";

  static std::once_flag once;
  int calls = 0;
  for (int i = 0; i < 3; ++i) std::call_once(once, [&] { ++calls; });
  std::cout << "called " << calls << " time(s)\n";
}
