#include <doctest/doctest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "fake_emulator.hpp"

using namespace lab::emulator;
using namespace std::chrono_literals;

namespace {

constexpr time_ns ms = 1'000'000;

/// What a sleep of `length` took in virtual time, its system call included.
template <typename Sleep>
time_ns time_taken(Sleep sleep) {
  const time_ns begin = now();
  sleep();
  return now() - begin;
}

time_ns nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

timespec read(clockid_t clock) {
  timespec time{};
  CHECK(clock_gettime(clock, &time) == 0);
  return time;
}

}  // namespace

TEST_CASE("a clock read costs 25 ns and is recorded with the value the program was told") {
  fake::take_notes();
  const time_ns begin = now();
  const auto shown = std::chrono::steady_clock::now().time_since_epoch();
  CHECK(now() - begin == 25);
  const auto reads = fake::take_notes().clock_reads;
  REQUIRE(reads.size() == 1);
  CHECK(reads[0].clock == lab::trace::clock_kind::monotonic);
  CHECK(reads[0].at == now());
  CHECK(reads[0].value == std::chrono::nanoseconds(shown).count());
  CHECK(reads[0].value == 1'000'000'000'000 + now());
}

TEST_CASE("the calendar clock starts at the beginning of 2026") {
  const auto seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm date{};
  gmtime_r(&seconds, &date);
  CHECK(date.tm_year + 1900 == 2026);
  CHECK(date.tm_yday == 0);
  CHECK(std::time(nullptr) == seconds);
  timeval now_as_timeval{};
  gettimeofday(&now_as_timeval, nullptr);
  CHECK(now_as_timeval.tv_sec == seconds);
  timespec now_as_timespec{};
  CHECK(timespec_get(&now_as_timespec, TIME_UTC) == TIME_UTC);
  CHECK(now_as_timespec.tv_sec == seconds);
}

TEST_CASE("all monotonic clocks are one") {
  const time_ns first = nanoseconds(read(CLOCK_MONOTONIC));
  CHECK(nanoseconds(read(CLOCK_MONOTONIC_RAW)) == first + 25);
  CHECK(nanoseconds(read(CLOCK_BOOTTIME)) == first + 50);
  timespec through_syscall{};
  CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &through_syscall) == 0);
  CHECK(nanoseconds(through_syscall) == first + 75);
}

TEST_CASE("the coarse clocks tick every 4 ms, and say so") {
  for (const clockid_t coarse : {CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE}) {
    const clockid_t fine = coarse == CLOCK_MONOTONIC_COARSE ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    timespec resolution{};
    CHECK(clock_getres(coarse, &resolution) == 0);
    CHECK(nanoseconds(resolution) == 4'000'000);
    const time_ns shown = nanoseconds(read(coarse)), exactly = nanoseconds(read(fine));
    CHECK(shown % 4'000'000 == 0);
    CHECK(exactly - shown >= 0);
    CHECK(exactly - shown < 4'000'000 + 1'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    CHECK(nanoseconds(read(coarse)) > shown);
  }
}

TEST_CASE("an unknown clock is an error") {
  timespec time{};
  CHECK(clock_gettime(12345, &time) == -1);
  CHECK(errno == EINVAL);
}

TEST_CASE("sleeps take exactly their length and the system call") {
  CHECK(time_taken([] { std::this_thread::sleep_for(5ms); }) == 5 * ms + 200);
  CHECK(time_taken([] { usleep(3000); }) == 3 * ms + 200);
  CHECK(time_taken([] { CHECK(sleep(2) == 0); }) == 2000 * ms + 200);
  CHECK(time_taken([] { CHECK(poll(nullptr, 0, 7) == 0); }) == 7 * ms + 200);
  CHECK(time_taken([] {
          timeval timeout{0, 4000};
          CHECK(select(0, nullptr, nullptr, nullptr, &timeout) == 0);
        }) == 4 * ms + 200);
}

TEST_CASE("a sleep until a time ends at that time, on either clock") {
  const auto until = std::chrono::steady_clock::now() + 10ms;
  std::this_thread::sleep_until(until);
  CHECK(std::chrono::steady_clock::now() >= until);
  CHECK(std::chrono::steady_clock::now() - until < 2us);
  const auto calendar = std::chrono::system_clock::now() + 10ms;
  std::this_thread::sleep_until(calendar);
  CHECK(std::chrono::system_clock::now() - calendar < 2us);
  timespec past = read(CLOCK_MONOTONIC);
  past.tv_sec -= 5;
  CHECK(time_taken([&] { CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, nullptr) == 0); }) ==
        200);
}

TEST_CASE("an invalid sleep is refused") {
  const timespec invalid{0, 1'000'000'000};
  CHECK(nanosleep(&invalid, nullptr) == -1);
  CHECK(errno == EINVAL);
}

TEST_CASE("a sleep is recorded") {
  fake::take_notes();
  std::this_thread::sleep_for(1ms);
  const auto pauses = fake::take_notes().pauses;
  REQUIRE(pauses.size() == 1);
  CHECK(pauses[0].kind == lab::trace::pause_kind::slept);
  CHECK(pauses[0].end - pauses[0].begin == ms);
}

TEST_CASE("CPU time leaves sleeps out") {
  const std::clock_t begin = std::clock();
  const time_ns thread_begin = nanoseconds(read(CLOCK_THREAD_CPUTIME_ID));
  std::this_thread::sleep_for(1s);
  CHECK(std::clock() - begin < 100);
  CHECK(nanoseconds(read(CLOCK_THREAD_CPUTIME_ID)) - thread_begin < 1000);
  advance(50 * ms);
  CHECK(std::clock() - begin >= 50'000);
  rusage usage{};
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  CHECK(usage.ru_utime.tv_sec * 1'000'000 + usage.ru_utime.tv_usec >= 50'000);
  clockid_t own{};
  CHECK(pthread_getcpuclockid(pthread_self(), &own) == 0);
  CHECK(own == CLOCK_THREAD_CPUTIME_ID);
}

TEST_CASE("clock() in a kernel is the device's counter") {
  fake::kernel_section kernel;
  const long cycles = std::clock();
  executing = execution::host;
  CHECK(cycles == 4242);
}

TEST_CASE("yielding moves the clock, so that a spin loop ends") {
  CHECK(time_taken([] { std::this_thread::yield(); }) == 200);
}
