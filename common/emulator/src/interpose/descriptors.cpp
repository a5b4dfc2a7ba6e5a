#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

#include "interpose/clocks.hpp"
#include "interpose/entry.hpp"
#include "interpose/ranges.hpp"
#include "interpose/real.hpp"
#include "interpose/syscalls.hpp"

/// read, write and their kin: checked for device memory, charged, and never blocking for real on a pipe of
/// the program's own, whose other end is a thread that needs the baton. (What comes from outside blocks for
/// real and takes no virtual time: when it comes is not for virtual time to say.) What is read of them tells
/// the reader what the writer had done before it wrote.
namespace lab::emulator {

namespace {

real<int(int, int, ...)> real_fcntl("fcntl");

constexpr int most_descriptors = 1024;

/// Of a pipe, a socket pair or an event descriptor that the program made: what stands for the data on their
/// way to this end, and from it. Null: it is none of these.
struct channel_end {
  const void* incoming;
  const void* outgoing;
};
channel_end ends[most_descriptors];

bool is_known(int descriptor) {
  return descriptor >= 0 && descriptor < most_descriptors;
}

void note_internal(int descriptor, int other) {
  if (is_known(descriptor) && is_known(other)) ends[descriptor] = {&ends[descriptor], &ends[other]};
}

int note_duplicate(int descriptor, long raw) {
  const int duplicate = static_cast<int>(libc_result(raw));
  if (is_known(duplicate)) ends[duplicate] = is_known(descriptor) ? ends[descriptor] : channel_end{};
  return duplicate;
}

bool is_internal(int descriptor) {
  return !called_by_runtime() && is_known(descriptor) && ends[descriptor].incoming != nullptr;
}

bool is_ready(int descriptor, short events) {
  pollfd question{descriptor, events, 0};
  timespec at_once{0, 0};
  return raw_syscall(SYS_ppoll, reinterpret_cast<long>(&question), 1, reinterpret_cast<long>(&at_once)) != 0;
}

/// Lets the other threads run until the descriptor would not block.
void await_descriptor(int descriptor, short events) {
  pass_time(system_call_cost);
  if (!is_internal(descriptor)) return;
  for (time_ns step = 1000; !is_ready(descriptor, events); step = std::min<time_ns>(step * 2, 1'000'000)) {
    sleep_until(after(step));
  }
}

long address(const volatile void* pointer) {
  return reinterpret_cast<long>(const_cast<const void*>(pointer));
}

long transferred(long raw) {
  if (raw > 0) charge_host(static_cast<std::size_t>(raw));
  return libc_result(raw);
}

long has_read(int descriptor, long raw) {
  if (raw > 0 && is_internal(descriptor)) host_acquires(ends[descriptor].incoming);
  return transferred(raw);
}

long has_written(int descriptor, long raw) {
  if (raw > 0 && is_internal(descriptor)) host_releases(ends[descriptor].outgoing);
  return transferred(raw);
}

/// The kernel answers EFAULT where it must not touch the memory; so do we.
ssize_t bad_address() {
  errno = EFAULT;
  return -1;
}

bool may_use(const iovec* parts, int count, bool write, const char* function, const void* caller) {
  for (int i = 0; i < count; ++i) {
    if (!access_range(parts[i].iov_base, parts[i].iov_len, write, function, caller)) return false;
  }
  return true;
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

#define CALLER __builtin_return_address(0)

extern "C" {

ssize_t read(int descriptor, void* to, std::size_t bytes) {
  host_only("read");
  await_descriptor(descriptor, POLLIN);
  if (!may_write(to, bytes, "read", CALLER)) return bad_address();
  return has_read(descriptor, raw_syscall(SYS_read, descriptor, address(to), static_cast<long>(bytes)));
}

ssize_t write(int descriptor, const void* from, std::size_t bytes) {
  host_only("write");
  await_descriptor(descriptor, POLLOUT);
  if (!may_read(from, bytes, "write", CALLER)) return bad_address();
  return has_written(descriptor, raw_syscall(SYS_write, descriptor, address(from), static_cast<long>(bytes)));
}

ssize_t readv(int descriptor, const iovec* parts, int count) {
  host_only("readv");
  await_descriptor(descriptor, POLLIN);
  if (!may_use(parts, count, true, "readv", CALLER)) return bad_address();
  return has_read(descriptor, raw_syscall(SYS_readv, descriptor, address(parts), count));
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  host_only("writev");
  await_descriptor(descriptor, POLLOUT);
  if (!may_use(parts, count, false, "writev", CALLER)) return bad_address();
  return has_written(descriptor, raw_syscall(SYS_writev, descriptor, address(parts), count));
}

ssize_t pread(int descriptor, void* to, std::size_t bytes, off_t at) {
  host_only("pread");
  pass_time(system_call_cost);
  if (!may_write(to, bytes, "pread", CALLER)) return bad_address();
  return transferred(raw_syscall(SYS_pread64, descriptor, address(to), static_cast<long>(bytes), at));
}

ssize_t pwrite(int descriptor, const void* from, std::size_t bytes, off_t at) {
  host_only("pwrite");
  pass_time(system_call_cost);
  if (!may_read(from, bytes, "pwrite", CALLER)) return bad_address();
  return transferred(raw_syscall(SYS_pwrite64, descriptor, address(from), static_cast<long>(bytes), at));
}

int pipe2(int descriptors[2], int flags) noexcept {
  const long result = libc_result(raw_syscall(SYS_pipe2, address(descriptors), flags));
  if (result == 0) {
    note_internal(descriptors[0], descriptors[1]);
    note_internal(descriptors[1], descriptors[0]);
  }
  return static_cast<int>(result);
}

int pipe(int descriptors[2]) noexcept {
  return pipe2(descriptors, 0);
}

int socketpair(int domain, int type, int protocol, int descriptors[2]) noexcept {
  const long result = libc_result(raw_syscall(SYS_socketpair, domain, type, protocol, address(descriptors)));
  if (result == 0) {
    note_internal(descriptors[0], descriptors[1]);
    note_internal(descriptors[1], descriptors[0]);
  }
  return static_cast<int>(result);
}

int eventfd(unsigned initial, int flags) noexcept {
  const long result = libc_result(raw_syscall(SYS_eventfd2, initial, flags));
  note_internal(static_cast<int>(result), static_cast<int>(result));
  return static_cast<int>(result);
}

int dup(int descriptor) noexcept {
  return note_duplicate(descriptor, raw_syscall(SYS_dup, descriptor));
}

int dup2(int descriptor, int duplicate) noexcept {
  return note_duplicate(descriptor, raw_syscall(SYS_dup2, descriptor, duplicate));
}

int dup3(int descriptor, int duplicate, int flags) noexcept {
  return note_duplicate(descriptor, raw_syscall(SYS_dup3, descriptor, duplicate, flags));
}

int fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  const long argument = va_arg(rest, long);
  va_end(rest);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
    return note_duplicate(descriptor, raw_syscall(SYS_fcntl, descriptor, command, argument));
  return real_fcntl(descriptor, command, argument);
}

}  // extern "C"
