#include "preemption.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace lab::cupti::preemption {
namespace {

using trace::time_ns;

constexpr time_ns worth_asking_ns = 20'000;  // of a stretch: what is shorter hides no preemption that counts
constexpr time_ns worth_telling_ns = 10'000;

time_ns time_on_processor() {
  timespec time;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);  // a read by clock_gettime is the program's
  return static_cast<time_ns>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// How often the thread has gone to wait for something.
long times_it_waited() {
  rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : -1;
}

/// Since the last thing that the thread did and that is recorded.
struct stretch {
  bool has_begun = false;
  time_ns begun = 0;
  time_ns on_processor_before = 0;
  long waited_before = 0;
};
thread_local stretch now_in;

}  // namespace

void did_something(time_ns now, time_ns took) {
  // To ask the system costs a launch more than anything else here; what was short did not wait.
  if (!now_in.has_begun || took > worth_asking_ns) now_in.waited_before = times_it_waited();
  now_in.has_begun = true;
  now_in.begun = now;
  now_in.on_processor_before = time_on_processor();
}

std::optional<time_ns> waited_until(time_ns now) {
  const time_ns length = now - now_in.begun;
  if (!now_in.has_begun || length < worth_asking_ns) return std::nullopt;
  const long waited_before = now_in.waited_before;
  now_in.waited_before = times_it_waited();
  if (now_in.waited_before != waited_before) return std::nullopt;
  const time_ns without_processor = length - (time_on_processor() - now_in.on_processor_before);
  if (without_processor < worth_telling_ns) return std::nullopt;
  return without_processor;
}

void forget() {
  now_in = {};
}

}  // namespace lab::cupti::preemption
