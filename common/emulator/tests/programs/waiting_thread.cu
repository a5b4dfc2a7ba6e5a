// One thread submits work, another waits for it: batches are handed over through a queue of events.
#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

__global__ void add_to_all(int* data, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] += value;
}

struct batch {
  int number;
  cudaEvent_t finished;
};

class handover {
 public:
  void put(batch b) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      batches_.push_back(b);
    }
    changed_.notify_one();
  }
  void close() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_one();
  }
  bool take(batch& b) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !batches_.empty(); });
    if (batches_.empty()) return false;
    b = batches_.front();
    batches_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<batch> batches_;
  bool closed_ = false;
};

int main() {
  constexpr int n = 1 << 15, batches = 6;
  int* data = nullptr;
  int* results = nullptr;  // one batch after another, pinned
  cudaStream_t stream;
  cudaMalloc(&data, n * sizeof(int));
  cudaMallocHost(&results, batches * n * sizeof(int));
  cudaStreamCreate(&stream);
  cudaMemsetAsync(data, 0, n * sizeof(int), stream);

  handover queue;
  std::vector<long long> sums;
  std::thread waiter([&] {
    batch b{};
    while (queue.take(b)) {
      cudaEventSynchronize(b.finished);
      const int* mine = results + b.number * n;
      sums.push_back(std::accumulate(mine, mine + n, 0LL));
      cudaEventDestroy(b.finished);
    }
  });

  for (int b = 0; b < batches; ++b) {
    add_to_all<<<8, 128, 0, stream>>>(data, n, b + 1);
    cudaMemcpyAsync(results + b * n, data, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    batch next{b, nullptr};
    cudaEventCreateWithFlags(&next.finished, cudaEventBlockingSync | cudaEventDisableTiming);
    cudaEventRecord(next.finished, stream);
    queue.put(next);
  }
  queue.close();
  waiter.join();

  int expected = 0;
  for (int b = 0; b < batches; ++b) {
    expected += b + 1;
    std::printf("batch %d: sum %lld, %s\n", b, sums[b], sums[b] == 1LL * expected * n ? "right" : "wrong");
  }
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaStreamDestroy(stream);
  cudaFreeHost(results);
  cudaFree(data);
}
