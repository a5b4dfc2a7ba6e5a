#include "cupti/preemption.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace lab::cupti;

namespace {

using clock = std::chrono::steady_clock;

lab::trace::time_ns now() {
  return std::chrono::nanoseconds(clock::now().time_since_epoch()).count();
}
void compute(std::chrono::nanoseconds time) {
  for (const auto end = clock::now() + time; clock::now() < end;) {
  }
}
/// How often the system took the processor from the calling thread.
long preemptions() {
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_THREAD, &usage) == 0);
  return usage.ru_nivcsw;
}

/// Two threads that both always want to run have one processor between them.
class rival {
 public:
  rival() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_getaffinity(0, sizeof(before_), &before_) == 0);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
    other_ = std::thread([this] {
      while (!over_) {
      }
    });
  }
  ~rival() {
    over_ = true;
    other_.join();
    sched_setaffinity(0, sizeof(before_), &before_);
  }

 private:
  cpu_set_t before_;
  std::atomic<bool> over_{false};
  std::thread other_;
};

constexpr auto long_enough = std::chrono::seconds(20);

}  // namespace

TEST_CASE("a thread whose processor is given to another is preempted, for no longer than there is time") {
  const rival other;
  std::optional<lab::trace::time_ns> waited;
  lab::trace::time_ns length = 0;
  for (const auto end = clock::now() + long_enough; !waited && clock::now() < end;) {
    const auto begin = now();
    preemption::did_something(begin, 0);
    compute(std::chrono::milliseconds(5));
    length = now() - begin;
    waited = preemption::waited_until(begin + length);
  }
  REQUIRE(waited);
  CHECK(*waited > 0);
  CHECK(*waited <= length);
}

TEST_CASE("one that computes undisturbed is not") {
  bool undisturbed = false;
  for (const auto end = clock::now() + long_enough; !undisturbed && clock::now() < end;) {
    const long before = preemptions();
    preemption::did_something(now(), 0);
    compute(std::chrono::milliseconds(1));
    const auto waited = preemption::waited_until(now());
    undisturbed = preemptions() == before;
    if (undisturbed) CHECK_FALSE(waited);
  }
  CHECK(undisturbed);
}

TEST_CASE("one that went to wait by itself is not, whatever came besides") {
  const rival other;
  for (int i = 0; i < 20; ++i) {
    preemption::did_something(now(), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    compute(std::chrono::milliseconds(4));
    CHECK_FALSE(preemption::waited_until(now()));
  }
}

TEST_CASE("a wait before the stretch, inside a call, does not count as one in it") {
  const rival other;
  std::optional<lab::trace::time_ns> waited;
  for (const auto end = clock::now() + long_enough; !waited && clock::now() < end;) {
    const auto begin = now();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    preemption::did_something(now(), now() - begin);
    compute(std::chrono::milliseconds(5));
    waited = preemption::waited_until(now());
  }
  CHECK(waited);
}

TEST_CASE("before anything was recorded, and when time has begun anew, nothing is told") {
  const rival other;
  std::thread([] {
    compute(std::chrono::milliseconds(20));
    CHECK_FALSE(preemption::waited_until(now()));
    preemption::did_something(now(), 0);
    preemption::forget();
    compute(std::chrono::milliseconds(20));
    CHECK_FALSE(preemption::waited_until(now()));
  }).join();
}
