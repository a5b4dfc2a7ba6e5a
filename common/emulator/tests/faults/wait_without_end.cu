// The host function waits for a thread that waits for the stream in which the host function is.
#include <condition_variable>
#include <mutex>

#include "report.hpp"

struct signal {
  std::mutex mutex;
  std::condition_variable changed;
  bool given = false;
};

int main() {
  signal go;
  cudaStream_t stream;
  SHOW(cudaStreamCreate(&stream));
  SHOW(cudaLaunchHostFunc(
      stream,
      [](void* argument) {
        auto& mine = *static_cast<signal*>(argument);
        std::unique_lock<std::mutex> lock(mine.mutex);
        mine.changed.wait(lock, [&] { return mine.given; });
      },
      &go));
  SHOW(cudaStreamSynchronize(stream));
  go.given = true;
}
