#pragma once

#include <cerrno>

namespace lab::emulator {

/// The kernel's own system call, past every interposed function (syscall() itself is one). Returns -errno
/// where it failed, and leaves errno alone. Safe on a thread that does not hold the baton, and in a signal
/// handler.
inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

/// As a libc function returns it: -1 and errno.
inline long libc_result(long raw) {
  if (raw >= 0 || raw < -4095) return raw;
  errno = static_cast<int>(-raw);
  return -1;
}

}  // namespace lab::emulator
