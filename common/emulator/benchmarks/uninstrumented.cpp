#include "uninstrumented.hpp"

#include <sys/syscall.h>
#include <time.h>

namespace benchmark {

double cpu_ms() {
  timespec time{};
  long result;
  // not clock_gettime, which the emulator stands in front of
  asm volatile("syscall"
               : "=a"(result)
               : "a"(SYS_clock_gettime), "D"(CLOCK_PROCESS_CPUTIME_ID), "S"(&time)
               : "rcx", "r11", "memory");
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

__attribute__((noinline)) void plain_add(const float* a, const float* b, float* c, int count) {
  for (int i = 0; i < count; ++i) c[i] = a[i] + b[i];
}

__attribute__((noinline)) float plain_sum(const float* a, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i];
  return sum;
}

}  // namespace benchmark
