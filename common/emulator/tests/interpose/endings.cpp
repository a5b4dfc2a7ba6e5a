#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "fake_emulator.hpp"
#include "opaque.hpp"

/// A program that ends, or misbehaves, in the way its argument names; process_test.cpp looks at how.

using namespace lab::emulator;
using namespace std::chrono_literals;

namespace {

/// Everything interposed must work before main.
struct made_before_main {
  made_before_main() {
    const std::lock_guard guard(mutex);
    numbers.assign(1000, 7);
    std::thread([&] { numbers.push_back(8); }).join();
    seen = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(1ms);
  }
  ~made_before_main() { std::printf("destroyed after main: %zu\n", numbers.size()); }
  std::mutex mutex;
  std::vector<int> numbers;
  std::chrono::steady_clock::time_point seen;
} early;

void free_twice(std::size_t bytes) {
  void* memory = opaque(std::malloc(bytes));
  std::free(opaque(memory));
  std::free(opaque(memory));
}

void free_aligned_twice(std::size_t alignment, std::size_t bytes) {
  void* memory = opaque(std::aligned_alloc(alignment, bytes));
  std::free(opaque(memory));
  std::free(opaque(memory));
}

void write_out_of_bounds(std::ptrdiff_t index) {
  char* memory = static_cast<char*>(opaque(std::malloc(40)));
  memory[opaque(index)] = 1;
  std::free(memory);
}

void write_after_free() {
  char* memory = static_cast<char*>(opaque(std::malloc(40)));
  char* stale = opaque(memory);
  std::free(memory);
  stale[10] = 1;
  std::free(opaque(std::malloc(40)));
}

void wait_forever() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  condition.wait(lock);
}

void lock_twice() {
  std::mutex mutex;
  mutex.lock();
  mutex.lock();
}

void lock_in_opposite_order() {
  std::mutex first, second;
  const auto both = [](std::mutex& one, std::mutex& other) {
    const std::lock_guard outer(one);
    std::this_thread::sleep_for(1ms);
    const std::lock_guard inner(other);
  };
  std::thread thread(both, std::ref(first), std::ref(second));
  both(second, first);
  thread.join();
}

void leave_main_to_threads() {
  std::thread([] {
    std::this_thread::sleep_for(5ms);
    std::puts("the thread ends last");
  }).detach();
  pthread_exit(nullptr);
}

/// Everything that could depend on address randomisation or the environment.
int print_addresses(int argc, char**, char**) {
  std::printf("local %p\n", static_cast<void*>(&argc));
  std::printf("heap %p %p %p\n", std::malloc(10), std::malloc(1000), std::malloc(10'000'000));
  std::thread([] {
    int local;
    std::printf("thread %p %d %p\n", static_cast<void*>(&local), thread_number(), std::malloc(10));
  }).join();
  std::unordered_set<void*> set;
  for (int i = 0; i < 50; ++i) set.insert(std::malloc(static_cast<std::size_t>(i)));
  for (void* pointer : set) std::printf("%p ", pointer);
  std::cout << "\n" << std::chrono::system_clock::now().time_since_epoch().count() << std::endl;
  return 7;
}

const std::map<std::string, void (*)()> endings = {
    {"free-twice", [] { free_twice(100); }},
    {"free-twice-large", [] { free_twice(5 << 20); }},
    {"free-twice-aligned", [] { free_aligned_twice(256, 1024); }},
    {"free-twice-aligned-large", [] { free_aligned_twice(1 << 20, 5 << 20); }},
    {"free-inside", [] { std::free(static_cast<char*>(opaque(std::malloc(100))) + 32); }},
    {"free-inside-odd", [] { std::free(static_cast<char*>(opaque(std::malloc(100))) + 3); }},
    {"free-local",
     [] {
       int local = 0;
       std::free(opaque(&local));
     }},
    {"free-device", [] { std::free(opaque(reinterpret_cast<void*>(device_window_begin + 512))); }},
    {"write-past-end", [] { write_out_of_bounds(40); }},
    {"write-before-begin", [] { write_out_of_bounds(-16); }},
    {"write-after-free", write_after_free},
    {"wait-forever", wait_forever},
    {"lock-twice", lock_twice},
    {"lock-in-opposite-order", lock_in_opposite_order},
    {"pause-forever", [] { pause(); }},
    {"kernel-sleeps",
     [] {
       fake::kernel_section kernel;
       std::this_thread::sleep_for(1ms);
     }},
    {"kernel-locks",
     [] {
       std::mutex mutex;
       fake::kernel_section kernel;
       mutex.lock();
     }},
    {"_exit", [] { _exit(3); }},
    {"quick_exit",
     [] {
       std::at_quick_exit([] { std::fputs("quickly\n", stderr); });
       std::quick_exit(4);
     }},
    {"exit-in-thread", [] { std::thread([] { std::exit(5); }).join(); }},
    {"pthread_exit", leave_main_to_threads},
};

}  // namespace

int main(int argc, char** argv, char** environment) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "addresses") return run_main_on_own_stack(print_addresses, argc, argv, environment);
  const auto found = endings.find(name);
  if (found == endings.end()) {
    std::cerr << "no such ending: " << name << "\n";
    return 2;
  }
  found->second();
  std::cerr << "survived\n";
  return 1;
}
