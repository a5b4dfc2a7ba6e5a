#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "interpose/entry.hpp"
#include "interpose/real.hpp"
#include "interpose/syscalls.hpp"

/// Ends of the process that run no exit handler, and what the emulator does not have: other processes (they
/// would share nothing with the emulated GPU and its clock), and timers that fire in real time.
namespace lab::emulator {

namespace {

constexpr const char* no_processes =
    "a program cannot start other processes under the emulated GPU (fork, exec, system, popen).";
constexpr const char* no_signals =
    "a program cannot send signals to other processes under the emulated GPU; it has none of its own.";
constexpr const char* no_timers =
    "timers that send signals or wake descriptors are not emulated; sleep instead.";

int refuse(const char* sentence, int error) {
  report_not_emulated(sentence);
  errno = error;
  return -1;
}

[[noreturn]] void end_process(int status) {
  process_ending(status);
  for (;;) raw_syscall(SYS_exit_group, status);
}

real<void(int)> real_quick_exit("quick_exit");

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

extern "C" {

void _exit(int status) {
  end_process(status);
}

void _Exit(int status) noexcept {
  end_process(status);
}

void quick_exit(int status) noexcept {
  process_ending(status);
  real_quick_exit(status);
  __builtin_unreachable();
}

pid_t fork() noexcept {
  return refuse(no_processes, EAGAIN);
}

pid_t vfork() noexcept {
  return refuse(no_processes, EAGAIN);
}

pid_t _Fork() noexcept {
  return refuse(no_processes, EAGAIN);
}

int clone(int (*)(void*), void*, int, void*, ...) noexcept {
  return refuse(no_processes, EAGAIN);
}

int daemon(int, int) noexcept {
  return refuse(no_processes, EAGAIN);
}

int system(const char* command) {
  if (command == nullptr) return 0;  // the question whether there is a shell
  return refuse(no_processes, EAGAIN);
}

FILE* popen(const char*, const char*) {
  refuse(no_processes, EAGAIN);
  return nullptr;
}

int posix_spawn(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                char* const*, char* const*) {
  refuse(no_processes, EAGAIN);
  return EAGAIN;
}

int posix_spawnp(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                 char* const*, char* const*) {
  refuse(no_processes, EAGAIN);
  return EAGAIN;
}

int execve(const char*, char* const*, char* const*) noexcept {
  return refuse(no_processes, EAGAIN);
}

int execv(const char*, char* const*) noexcept {
  return refuse(no_processes, EAGAIN);
}

int execvp(const char*, char* const*) noexcept {
  return refuse(no_processes, EAGAIN);
}

int execvpe(const char*, char* const*, char* const*) noexcept {
  return refuse(no_processes, EAGAIN);
}

int execl(const char*, const char*, ...) noexcept {
  return refuse(no_processes, EAGAIN);
}

int execlp(const char*, const char*, ...) noexcept {
  return refuse(no_processes, EAGAIN);
}

int execle(const char*, const char*, ...) noexcept {
  return refuse(no_processes, EAGAIN);
}

int fexecve(int, char* const*, char* const*) noexcept {
  return refuse(no_processes, EAGAIN);
}

int kill(pid_t process, int signal) noexcept {
  if (!called_by_runtime() && process != getpid()) return refuse(no_signals, EPERM);
  return static_cast<int>(libc_result(raw_syscall(SYS_kill, process, signal)));
}

int killpg(pid_t, int) noexcept {
  return refuse(no_signals, EPERM);
}

int timer_create(clockid_t, sigevent*, timer_t*) noexcept {
  return refuse(no_timers, ENOSYS);
}

int timerfd_create(int, int) noexcept {
  return refuse(no_timers, ENOSYS);
}

}  // extern "C"
