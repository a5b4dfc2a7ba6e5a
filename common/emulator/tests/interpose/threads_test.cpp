#include <doctest/doctest.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fake_emulator.hpp"

using namespace lab::emulator;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

namespace {

constexpr time_ns ms = 1'000'000;

/// Virtual milliseconds that `action` took, rounded.
template <typename Action>
long milliseconds_of(Action action) {
  const time_ns begin = now();
  action();
  return (now() - begin + ms / 2) / ms;
}

timespec realtime_after(time_ns duration) {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  const time_ns sum = time.tv_sec * 1'000'000'000 + time.tv_nsec + duration;
  return {sum / 1'000'000'000, sum % 1'000'000'000};
}

}  // namespace

TEST_CASE("threads sleep side by side, and join waits for the longest") {
  CHECK(milliseconds_of([] {
          std::vector<std::thread> threads;
          for (int i = 1; i <= 5; ++i) {
            threads.emplace_back([i] { std::this_thread::sleep_for(i * 10ms); });
          }
          for (auto& thread : threads) thread.join();
        }) == 50);
}

TEST_CASE("threads run in the order of their clocks") {
  std::string order;
  std::thread late([&] {
    std::this_thread::sleep_for(20ms);
    order += 'b';
  });
  std::thread early([&] {
    std::this_thread::sleep_for(10ms);
    order += 'a';
  });
  std::this_thread::sleep_for(30ms);
  order += 'c';
  late.join();
  early.join();
  CHECK(order == "abc");
}

TEST_CASE("a contended mutex is passed on at the time of its release") {
  std::mutex mutex;
  mutex.lock();
  std::thread waiter([&] {
    CHECK(milliseconds_of([&] { mutex.lock(); }) == 15);
    mutex.unlock();
  });
  std::this_thread::sleep_for(15ms);
  mutex.unlock();
  waiter.join();
  CHECK(mutex.try_lock());
  mutex.unlock();
}

TEST_CASE("a mutex keeps a counter right across yields") {
  std::mutex mutex;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        const std::lock_guard guard(mutex);
        const int seen = counter;
        std::this_thread::yield();
        counter = seen + 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(counter == 1600);
}

TEST_CASE("recursive mutexes count, error-checking ones refuse") {
  std::recursive_mutex recursive;
  recursive.lock();
  CHECK(recursive.try_lock());
  recursive.lock();
  std::thread([&] { CHECK_FALSE(recursive.try_lock()); }).join();
  for (int i = 0; i < 3; ++i) recursive.unlock();
  std::thread([&] {
    CHECK(recursive.try_lock());
    recursive.unlock();
  }).join();

  pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  CHECK(pthread_mutex_unlock(&checked) == EPERM);
  CHECK(pthread_mutex_lock(&checked) == 0);
  CHECK(pthread_mutex_lock(&checked) == EDEADLK);
  CHECK(pthread_mutex_destroy(&checked) == EBUSY);
  CHECK(pthread_mutex_unlock(&checked) == 0);
  CHECK(pthread_mutex_destroy(&checked) == 0);
}

TEST_CASE("timed mutexes give up at their deadline, on either clock") {
  std::timed_mutex mutex;
  mutex.lock();
  std::thread([&] {
    CHECK(milliseconds_of([&] { CHECK_FALSE(mutex.try_lock_for(25ms)); }) == 25);
    const auto deadline = std::chrono::system_clock::now() + 35ms;
    CHECK(milliseconds_of([&] { CHECK_FALSE(mutex.try_lock_until(deadline)); }) == 35);
  }).join();
  std::thread waiter([&] {
    CHECK(milliseconds_of([&] { CHECK(mutex.try_lock_for(50ms)); }) == 10);
    mutex.unlock();
  });
  std::this_thread::sleep_for(10ms);
  mutex.unlock();
  waiter.join();
}

namespace {

/// The main thread asks under a lock whether another has been there, which comes to wait for the same lock
/// while it asks for the first time. Returns how often it asked.
template <typename Ask, typename Set>
int asked_under_a_lock(Ask ask, Set set) {
  bool done = false;
  std::thread setter;
  int times = 0;
  for (bool seen = false; !seen && times < 1000; ++times) {
    ask([&] {
      if (times == 0) {
        setter = std::thread([&] { set([&] { done = true; }); });
        std::this_thread::sleep_for(1us);
      }
      seen = done;
    });
  }
  setter.join();
  return times;
}

/// The same with one kind of lock for both, plainly and with a yield in its scope.
template <typename Lock, typename Unlock>
void check_asking_under(Lock lock, Unlock unlock) {
  const auto locked = [&](auto action) {
    lock();
    action();
    unlock();
  };
  const auto yielding = [&](auto action) {
    lock();
    action();
    std::this_thread::yield();
    unlock();
  };
  CHECK(asked_under_a_lock(locked, locked) < 100);
  CHECK(asked_under_a_lock(yielding, locked) < 100);
  CHECK(asked_under_a_lock(yielding, yielding) < 100);
}

}  // namespace

TEST_CASE("who asks under a lock again and again lets the others have it") {
  std::mutex mutex;
  check_asking_under([&] { mutex.lock(); }, [&] { mutex.unlock(); });
  std::recursive_mutex recursive;
  check_asking_under(
      [&] {
        recursive.lock();
        recursive.lock();
      },
      [&] {
        recursive.unlock();
        recursive.unlock();
      });
  std::timed_mutex timed;
  check_asking_under([&] { CHECK(timed.try_lock_for(1s)); }, [&] { timed.unlock(); });
  check_asking_under(
      [&] {
        while (!mutex.try_lock()) std::this_thread::yield();
      },
      [&] { mutex.unlock(); });
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  check_asking_under([&] { pthread_spin_lock(&spin); }, [&] { pthread_spin_unlock(&spin); });
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  check_asking_under([&] { sem_wait(&semaphore); }, [&] { sem_post(&semaphore); });
}

TEST_CASE("who asks under a reader-writer lock lets the others have it") {
  std::shared_mutex mutex;
  const auto alone = [&](auto action) {
    const std::unique_lock lock(mutex);
    action();
  };
  const auto shared = [&](auto action) {
    const std::shared_lock lock(mutex);
    action();
  };
  CHECK(asked_under_a_lock(alone, alone) < 100);
  CHECK(asked_under_a_lock(shared, alone) < 100);
  CHECK(asked_under_a_lock(alone, shared) < 100);
}

TEST_CASE("readers whose turns overlap let a writer in") {
  std::shared_mutex mutex;
  bool done = false;
  const auto read = [&] {
    int times = 0;
    for (bool seen = false; !seen && times < 1000; ++times) {
      const std::shared_lock lock(mutex);
      std::this_thread::sleep_for(10us);
      seen = done;
    }
    CHECK(times < 100);
  };
  std::thread one(read);
  std::this_thread::sleep_for(5us);
  std::thread other(read);
  std::this_thread::sleep_for(100us);
  mutex.lock();
  done = true;
  mutex.unlock();
  one.join();
  other.join();
}

TEST_CASE("who reads already may read again while another waits to write") {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  std::thread writer([&] {
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0);
  });
  std::this_thread::sleep_for(1ms);
  CHECK(milliseconds_of([&] { CHECK(pthread_rwlock_rdlock(&lock) == 0); }) <= 1);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  writer.join();
}

TEST_CASE("condition variables wake who waits, at the notifier's time") {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    CHECK(milliseconds_of([&] { condition.wait(lock, [&] { return ready; }); }) == 12);
    CHECK(lock.owns_lock());
  });
  std::this_thread::sleep_for(12ms);
  {
    const std::lock_guard guard(mutex);
    ready = true;
  }
  condition.notify_one();
  waiter.join();
}

TEST_CASE("notify_all wakes all, notify_one the first who came") {
  std::mutex mutex;
  std::condition_variable condition;
  int tickets = 0;
  std::string woken;
  std::vector<std::thread> threads;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    threads.emplace_back([&, name] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return tickets > 0; });
      --tickets;
      woken += name;
    });
    std::this_thread::sleep_for(1ms);
  }
  const auto admit = [&](int count) {
    {
      const std::lock_guard guard(mutex);
      tickets = count;
    }
    if (count == 1) {
      condition.notify_one();
    } else {
      condition.notify_all();
    }
    std::this_thread::sleep_for(1ms);
  };
  admit(1);
  CHECK(woken == "a");
  admit(3);
  CHECK(woken == "abcd");
  for (auto& thread : threads) thread.join();
}

TEST_CASE("timed waits for a condition end at their deadline") {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  CHECK(milliseconds_of([&] { CHECK(condition.wait_for(lock, 40ms) == std::cv_status::timeout); }) == 40);
  const auto deadline = std::chrono::system_clock::now() + 20ms;
  CHECK(milliseconds_of([&] { CHECK(condition.wait_until(lock, deadline) == std::cv_status::timeout); }) ==
        20);
  CHECK(milliseconds_of([&] { CHECK_FALSE(condition.wait_for(lock, 5ms, [] { return false; })); }) == 5);
  const auto past = clock_type::now() - 1s;
  CHECK(milliseconds_of([&] { CHECK(condition.wait_until(lock, past) == std::cv_status::timeout); }) == 0);

  std::condition_variable_any any;
  std::mutex other;
  std::unique_lock other_lock(other);
  CHECK(milliseconds_of([&] { CHECK(any.wait_for(other_lock, 7ms) == std::cv_status::timeout); }) == 7);
}

TEST_CASE("a condition's clock is the one of its attribute") {
  pthread_condattr_t attribute;
  pthread_condattr_init(&attribute);
  pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC);
  pthread_cond_t monotonic;
  pthread_cond_init(&monotonic, &attribute);
  pthread_cond_t realtime = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  timespec deadline{};
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 1;
  CHECK(milliseconds_of([&] { CHECK(pthread_cond_timedwait(&monotonic, &mutex, &deadline) == ETIMEDOUT); }) ==
        1000);
  deadline = realtime_after(30 * ms);
  CHECK(milliseconds_of([&] { CHECK(pthread_cond_timedwait(&realtime, &mutex, &deadline) == ETIMEDOUT); }) ==
        30);
  pthread_mutex_unlock(&mutex);
  CHECK(pthread_cond_destroy(&monotonic) == 0);
  CHECK(pthread_mutex_destroy(&mutex) == 0);
}

TEST_CASE("shared mutexes let readers in together and writers alone") {
  std::shared_timed_mutex mutex;
  std::vector<std::thread> readers;
  CHECK(milliseconds_of([&] {
          for (int i = 0; i < 4; ++i) {
            readers.emplace_back([&] {
              const std::shared_lock lock(mutex);
              std::this_thread::sleep_for(10ms);
            });
          }
          std::this_thread::sleep_for(1ms);
          CHECK_FALSE(mutex.try_lock());
          CHECK(mutex.try_lock_shared());
          mutex.unlock_shared();
          CHECK_FALSE(mutex.try_lock_for(2ms));
          mutex.lock();
        }) == 10);
  std::thread([&] {
    CHECK(milliseconds_of([&] { CHECK_FALSE(mutex.try_lock_shared_for(3ms)); }) == 3);
  }).join();
  mutex.unlock();
  for (auto& reader : readers) reader.join();
}

TEST_CASE("futures, promises and async work in virtual time") {
  auto slow = std::async(std::launch::async, [] {
    std::this_thread::sleep_for(100ms);
    return 42;
  });
  CHECK(milliseconds_of([&] { CHECK(slow.wait_for(30ms) == std::future_status::timeout); }) == 30);
  CHECK(milliseconds_of([&] {
          CHECK(slow.wait_until(std::chrono::system_clock::now() + 20ms) == std::future_status::timeout);
        }) == 20);
  CHECK(milliseconds_of([&] { CHECK(slow.get() == 42); }) == 50);

  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread waiter([&] { CHECK(milliseconds_of([&] { CHECK(future.get() == 7); }) == 5); });
  std::this_thread::sleep_for(5ms);
  promise.set_value(7);
  waiter.join();

  std::promise<void> at_exit;
  std::thread([&] { at_exit.set_value_at_thread_exit(); }).detach();
  at_exit.get_future().wait();
}

TEST_CASE("call_once runs once, others wait for it, an exception hands it on") {
  std::once_flag flag;
  int runs = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        std::call_once(flag, [&] {
          std::this_thread::sleep_for(10ms);
          if (++runs == 1) throw std::runtime_error("first");
        });
        CHECK(runs == 2);
      } catch (const std::runtime_error&) {
        CHECK(runs == 1);
      }
    });
  }
  CHECK(milliseconds_of([&] {
          for (auto& thread : threads) thread.join();
        }) == 20);
  CHECK(runs == 2);
}

namespace {

struct slow_to_make {
  slow_to_make() {
    std::this_thread::sleep_for(10ms);
    ++made;
  }
  static inline int made = 0;
};

}  // namespace

TEST_CASE("a local static is made once, while others wait") {
  const auto use = [] { static slow_to_make instance; };
  std::vector<std::thread> threads;
  CHECK(milliseconds_of([&] {
          for (int i = 0; i < 3; ++i) threads.emplace_back(use);
          for (auto& thread : threads) thread.join();
        }) == 10);
  CHECK(slow_to_make::made == 1);
}

TEST_CASE("semaphores and barriers") {
  sem_t semaphore;
  sem_init(&semaphore, 0, 2);
  CHECK(sem_wait(&semaphore) == 0);
  CHECK(sem_trywait(&semaphore) == 0);
  CHECK(sem_trywait(&semaphore) == -1);
  CHECK(errno == EAGAIN);
  const timespec deadline = realtime_after(8 * ms);
  CHECK(milliseconds_of([&] { CHECK(sem_timedwait(&semaphore, &deadline) == -1); }) == 8);
  CHECK(errno == ETIMEDOUT);
  std::thread poster([&] {
    std::this_thread::sleep_for(6ms);
    sem_post(&semaphore);
  });
  CHECK(milliseconds_of([&] { CHECK(sem_wait(&semaphore) == 0); }) == 6);
  int value = -1;
  sem_getvalue(&semaphore, &value);
  CHECK(value == 0);
  poster.join();

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  std::atomic<int> serial{0};
  std::vector<std::thread> threads;
  CHECK(milliseconds_of([&] {
          for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&, i] {
              for (int round = 0; round < 4; ++round) {
                std::this_thread::sleep_for(i * 5ms);
                if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) ++serial;
              }
            });
          }
          for (auto& thread : threads) thread.join();
        }) == 40);
  CHECK(serial == 4);
  CHECK(pthread_barrier_destroy(&barrier) == 0);
}

TEST_CASE("a spin lock costs CPU time, a mutex none") {
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  std::mutex mutex;
  mutex.lock();
  pthread_spin_lock(&spin);
  CHECK(pthread_spin_trylock(&spin) == EBUSY);
  std::thread spinning([&] {
    pthread_spin_lock(&spin);
    CHECK(thread_cpu_time() >= 10 * ms);
    pthread_spin_unlock(&spin);
  });
  std::thread waiting([&] {
    const time_ns before = thread_cpu_time();
    mutex.lock();
    CHECK(thread_cpu_time() - before < ms);
    mutex.unlock();
  });
  std::this_thread::sleep_for(10ms);
  pthread_spin_unlock(&spin);
  mutex.unlock();
  spinning.join();
  waiting.join();
}

TEST_CASE("a spin on an atomic flag ends when the other thread sets it") {
  std::atomic<bool> flag{false};
  std::thread setter([&] {
    std::this_thread::sleep_for(3ms);
    flag = true;
  });
  CHECK(milliseconds_of([&] {
          while (!flag) std::this_thread::yield();
        }) == 3);
  setter.join();
}

TEST_CASE("a wait for another thread is recorded") {
  fake::take_notes();
  std::thread([] { std::this_thread::sleep_for(9ms); }).join();
  int waits = 0;
  for (const auto& pause : fake::take_notes().pauses) {
    if (pause.kind != lab::trace::pause_kind::waited_for_thread) continue;
    ++waits;
    CHECK((pause.end - pause.begin + ms / 2) / ms == 9);
  }
  CHECK(waits == 1);
}

namespace {

std::string* ends = nullptr;

struct notes_its_end {
  const char* name;
  ~notes_its_end() { *ends += name; }
};

void* exits_early(void* argument) {
  const notes_its_end local{"local "};
  pthread_exit(argument);
}

void note_value(void* value) {
  *ends += static_cast<const char*>(value);
}

}  // namespace

TEST_CASE("a thread's end runs its destructors before join returns") {
  std::string seen;
  ends = &seen;
  std::thread([] {
    thread_local notes_its_end first{"first "};
    thread_local notes_its_end second{"second "};
    CHECK(first.name != second.name);
  }).join();
  CHECK(seen == "second first ");

  seen.clear();
  pthread_t thread;
  char text[] = "result";
  pthread_create(&thread, nullptr, exits_early, text);
  void* result = nullptr;
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(result == text);
  CHECK(seen == "local ");

  seen.clear();
  pthread_key_t key;
  pthread_key_create(&key, note_value);
  std::thread([&] { pthread_setspecific(key, "specific "); }).join();
  CHECK(seen == "specific ");
  pthread_key_delete(key);
  ends = nullptr;
}

TEST_CASE("thread stacks have fixed addresses, and come back after join and detach") {
  const auto address_of_local = [] {
    std::uintptr_t address = 0;
    std::thread([&] {
      volatile int local = 0;
      address = reinterpret_cast<std::uintptr_t>(&local);
    }).join();
    return address;
  };
  const std::uintptr_t first = address_of_local();
  CHECK(first >= stack_window_begin);
  CHECK(first < stack_window_end);
  for (int i = 0; i < 300; ++i) {
    std::thread([] {}).detach();
    std::this_thread::sleep_for(1ms);
  }
  CHECK(address_of_local() == first);
}

TEST_CASE("a thread may ask for a large stack") {
  pthread_attr_t attribute;
  pthread_attr_init(&attribute);
  pthread_attr_setstacksize(&attribute, 100 << 20);
  pthread_t thread;
  const auto fill = [](void*) -> void* {
    volatile char large[90 << 20];
    for (std::size_t i = 0; i < sizeof large; i += 4096) large[sizeof large - 1 - i] = 1;
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attribute, fill, nullptr) == 0);
  CHECK(pthread_join(thread, nullptr) == 0);
}

TEST_CASE("misuse of join and detach is an error") {
  CHECK(pthread_join(pthread_self(), nullptr) == EDEADLK);
  pthread_t thread;
  const auto sleeper = [](void*) -> void* {
    std::this_thread::sleep_for(5ms);
    return nullptr;
  };
  pthread_create(&thread, nullptr, sleeper, nullptr);
  CHECK(pthread_tryjoin_np(thread, nullptr) == EBUSY);
  timespec deadline = realtime_after(2 * ms);
  CHECK(pthread_timedjoin_np(thread, nullptr, &deadline) == ETIMEDOUT);
  CHECK(pthread_detach(thread) == 0);
  CHECK(pthread_join(thread, nullptr) == EINVAL);
  std::this_thread::sleep_for(10ms);
}

TEST_CASE("a pipe between two threads does not stop the world") {
  int ends_of_pipe[2];
  REQUIRE(pipe(ends_of_pipe) == 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(5ms);
    CHECK(write(ends_of_pipe[1], "x", 1) == 1);
    std::this_thread::sleep_for(5ms);
    CHECK(write(ends_of_pipe[1], "y", 1) == 1);
  });
  char byte = 0;
  CHECK(milliseconds_of([&] { CHECK(read(ends_of_pipe[0], &byte, 1) == 1); }) <= 7);
  CHECK(byte == 'x');
  pollfd question{ends_of_pipe[0], POLLIN, 0};
  CHECK(milliseconds_of([&] { CHECK(poll(&question, 1, 2) == 0); }) == 2);
  CHECK(poll(&question, 1, -1) == 1);
  CHECK(read(ends_of_pipe[0], &byte, 1) == 1);
  CHECK(byte == 'y');
  writer.join();
}

TEST_CASE("what is not emulated says so and fails") {
  fake::take_notes();
  CHECK(fork() == -1);
  CHECK(errno == EAGAIN);
  CHECK(std::system("true") == -1);
  CHECK(popen("true", "r") == nullptr);
  CHECK(execl("/bin/true", "true", nullptr) == -1);
  CHECK(pthread_cancel(pthread_self()) == ENOSYS);
  for (const pid_t process : {getppid(), 0, -1}) {
    CHECK(kill(process, 0) == -1);
    CHECK(errno == EPERM);
    CHECK(syscall(SYS_kill, process, 0) == -1);
  }
  CHECK(killpg(0, 0) == -1);
  CHECK(kill(getpid(), 0) == 0);
  CHECK(fake::take_notes().not_emulated.size() == 12);
}

TEST_CASE("the same program runs the same way every time") {
  const auto trace = [] {
    std::string order;
    std::mutex mutex;
    std::vector<std::thread> threads;
    const time_ns begin = now();
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < 5; ++j) {
          const std::lock_guard guard(mutex);
          order += static_cast<char>('a' + i);
          std::this_thread::sleep_for(std::chrono::microseconds((i * 37 + j * 11) % 50));
        }
      });
    }
    for (auto& thread : threads) thread.join();
    return order + std::to_string(now() - begin);
  };
  const std::string first = trace();
  for (int i = 0; i < 20; ++i) CHECK(trace() == first);
}
