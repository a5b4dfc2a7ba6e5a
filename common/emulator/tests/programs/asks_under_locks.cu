// A thread asks again and again, under a lock, whether another has been there, which needs the same lock.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

struct spin_lock {
  void lock() {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { taken.clear(std::memory_order_release); }
  std::atomic_flag taken = ATOMIC_FLAG_INIT;
};

struct yielding_lock {
  void lock() {
    while (taken.exchange(true)) std::this_thread::yield();
  }
  void unlock() { taken = false; }
  std::atomic<bool> taken{false};
};

struct asking_lock {
  void lock() {
    do {
      while (taken.load(std::memory_order_relaxed)) {
      }
    } while (taken.exchange(true, std::memory_order_acquire));
  }
  void unlock() { taken.store(false, std::memory_order_release); }
  std::atomic<bool> taken{false};
};

struct ticket_lock {
  void lock() {
    const int mine = next++;
    while (served != mine) {
    }
  }
  void unlock() { ++served; }
  std::atomic<int> next{0}, served{0};
};

template <class Lock, class Ask>
void ask(const char* name, Lock& lock, Ask ask) {
  bool done = false;
  std::thread setter([&] {
    const std::lock_guard guard(lock);
    done = true;
  });
  for (bool seen = false; !seen;) ask(seen, done);
  setter.join();
  std::printf("%s: done\n", name);
}

template <class Lock>
void ask(const char* name) {
  Lock lock;
  ask(name, lock, [&](bool& seen, const bool& done) {
    const std::lock_guard guard(lock);
    seen = done;
  });
  ask(name, lock, [&](bool& seen, const bool& done) {
    const std::lock_guard guard(lock);
    seen = done;
    if (!seen) std::this_thread::yield();
  });
}

int main() {
  ask<std::mutex>("mutex");
  ask<std::recursive_mutex>("recursive mutex");
  ask<std::shared_mutex>("shared mutex");
  std::shared_mutex shared;
  ask("shared mutex, read", shared, [&](bool& seen, const bool& done) {
    const std::shared_lock guard(shared);
    seen = done;
  });
  ask<spin_lock>("spin lock");
  ask<yielding_lock>("yielding lock");
  ask<asking_lock>("asking lock");
  ask<ticket_lock>("ticket lock");

  struct {
    std::mutex mutex;
    bool done = false;
  } job;
  cudaLaunchHostFunc(
      nullptr,
      [](void* data) {
        auto& finished = *static_cast<decltype(job)*>(data);
        const std::lock_guard guard(finished.mutex);
        finished.done = true;
      },
      &job);
  for (bool seen = false; !seen;) {
    const std::lock_guard guard(job.mutex);
    seen = job.done;
  }
  std::printf("host function: done\n");
  cudaDeviceSynchronize();
}
