#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "interpose/entry.hpp"
#include "interpose/real.hpp"
#include "interpose/syscalls.hpp"

/// Files by their names. A run that only shows what another order of things would give (files_stay) leaves
/// them as the program's own run has left them: what it writes goes to a copy in memory, which it may read
/// back; what it removes, renames or makes stays as it is.
namespace lab::emulator {

namespace {

constexpr int most_copies = 64;
constexpr int first_descriptor = 820;  // the program's own are numbered as ever

struct copied_file {
  char path[PATH_MAX];
  int memory;
};
copied_file copies[most_copies];
int copied = 0;

bool leaves_files() {
  return files_stay && !called_by_runtime();
}

long at(const char* path) {
  return reinterpret_cast<long>(path);
}

bool may(const char* path, int mode) {
  return raw_syscall(SYS_faccessat, AT_FDCWD, at(path), mode) == 0;
}

copied_file* find(const char* path) {
  for (int i = 0; i < copied; ++i) {
    if (std::strcmp(copies[i].path, path) == 0) return &copies[i];
  }
  return nullptr;
}

void forget(const char* path) {
  copied_file* found = find(path);
  if (found == nullptr) return;
  raw_syscall(SYS_close, found->memory);
  *found = copies[--copied];
}

bool may_be_made(const char* path) {
  char folder[PATH_MAX] = ".";
  const char* slash = std::strrchr(path, '/');
  if (slash == path) return may("/", W_OK);
  if (slash != nullptr) std::snprintf(folder, sizeof folder, "%.*s", static_cast<int>(slash - path), path);
  return may(folder, W_OK);
}

/// Whether opening it for writing would change a file; else it fails, or it is a terminal, a pipe, /dev/null.
bool would_be_written(const char* path, bool made) {
  struct stat known {};
  if (raw_syscall(SYS_stat, at(path), reinterpret_cast<long>(&known)) != 0) return made && may_be_made(path);
  return S_ISREG(known.st_mode) && may(path, W_OK);
}

/// The file's copy, made if there is none yet; null where there is room for no more.
copied_file* copy_of(const char* path) {
  if (copied_file* known = find(path)) return known;
  if (copied == most_copies || std::strlen(path) >= PATH_MAX) return nullptr;
  const long made = raw_syscall(SYS_memfd_create, at("copy"), 0);
  if (made < 0) return nullptr;
  const long memory = raw_syscall(SYS_fcntl, made, F_DUPFD_CLOEXEC, first_descriptor);
  raw_syscall(SYS_close, made);
  if (memory < 0) return nullptr;
  const long file = raw_syscall(SYS_openat, AT_FDCWD, at(path), O_RDONLY | O_CLOEXEC);
  constexpr long most_at_once = 1 << 30;
  while (file >= 0 && raw_syscall(SYS_sendfile, memory, file, 0, most_at_once) > 0) {
  }
  if (file >= 0) raw_syscall(SYS_close, file);
  copied_file& fresh = copies[copied++];
  std::strcpy(fresh.path, path);
  fresh.memory = static_cast<int>(memory);
  return &fresh;
}

/// The path that is to be opened instead.
class path_to_open {
 public:
  path_to_open(const char* path, bool writes, bool makes) : path_(path) {
    if (!leaves_files() || path == nullptr) return;
    copied_file* copy = find(path);
    if (copy == nullptr && writes && would_be_written(path, makes)) {
      copy = copy_of(path);
      path_ = "/dev/null";
    }
    if (copy == nullptr) return;
    std::snprintf(name_, sizeof name_, "/proc/self/fd/%d", copy->memory);
    path_ = name_;
  }
  path_to_open(const path_to_open&) = delete;
  path_to_open& operator=(const path_to_open&) = delete;

  operator const char*() const { return path_; }

 private:
  const char* path_;
  char name_[32];
};

int open_at(int folder, const char* path, int flags, mode_t mode) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_TRUNC | O_CREAT)) != 0;
  const bool relative = folder != AT_FDCWD && path != nullptr && path[0] != '/';
  if (leaves_files() && relative && writes && (flags & O_DIRECTORY) == 0) path = "/dev/null";
  const path_to_open to_open(path, writes && (flags & O_DIRECTORY) == 0, (flags & O_CREAT) != 0);
  // The program's own run has made it by now.
  if (to_open != path && (flags & O_EXCL) != 0) flags = (flags & ~O_EXCL) | O_TRUNC;
  return static_cast<int>(libc_result(
      raw_syscall(SYS_openat, folder, at(to_open), flags | O_LARGEFILE, static_cast<long>(mode))));
}

real<std::FILE*(const char*, const char*)> real_fopen("fopen");
real<std::FILE*(const char*, const char*, std::FILE*)> real_freopen("freopen");
real<int(const char*, off_t)> real_truncate("truncate");
real<int(const char*, const char*)> real_rename("rename");
real<int(const char*)> real_unlink("unlink");
real<int(int, const char*, int)> real_unlinkat("unlinkat");
real<int(const char*)> real_remove("remove");
real<int(const char*, mode_t)> real_mkdir("mkdir");
real<int(const char*)> real_rmdir("rmdir");

/// fopen's mode, without the x that refuses a file which is there.
class open_mode {
 public:
  explicit open_mode(const char* mode) {
    std::size_t length = 0;
    for (; *mode != '\0' && length + 1 < sizeof text_; ++mode) {
      if (!leaves_files() || *mode != 'x') text_[length++] = *mode;
    }
    text_[length] = '\0';
  }
  bool writes() const { return text_[0] != 'r' || std::strchr(text_, '+') != nullptr; }
  bool makes() const { return text_[0] != 'r'; }
  operator const char*() const { return text_; }

 private:
  char text_[64];
};

std::FILE* open_stream(const char* path, const char* mode) {
  const open_mode asked(mode);
  return real_fopen(path_to_open(path, asked.writes(), asked.makes()), asked);
}

std::FILE* reopen_stream(const char* path, const char* mode, std::FILE* stream) {
  const open_mode asked(mode);
  return real_freopen(path_to_open(path, asked.writes(), asked.makes()), asked, stream);
}

int truncate_file(const char* path, off_t bytes) {
  if (!leaves_files() || !would_be_written(path, false)) return real_truncate(path, bytes);
  const copied_file* copy = copy_of(path);
  return copy == nullptr ? 0 : ftruncate(copy->memory, bytes);
}

int leave_in_place(const char* path) {
  forget(path);
  return 0;
}

mode_t mode_after(int flags, std::va_list list) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

#define OPEN_AT(folder)                        \
  std::va_list list;                           \
  va_start(list, flags);                       \
  const mode_t mode = mode_after(flags, list); \
  va_end(list);                                \
  return open_at(folder, path, flags, mode)

extern "C" {

int open(const char* path, int flags, ...) {
  OPEN_AT(AT_FDCWD);
}

int open64(const char* path, int flags, ...) {
  OPEN_AT(AT_FDCWD);
}

int openat(int folder, const char* path, int flags, ...) {
  OPEN_AT(folder);
}

int openat64(int folder, const char* path, int flags, ...) {
  OPEN_AT(folder);
}

int creat(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int creat64(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

std::FILE* fopen(const char* path, const char* mode) {
  return open_stream(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  return open_stream(path, mode);
}

std::FILE* freopen(const char* path, const char* mode, std::FILE* stream) {
  return reopen_stream(path, mode, stream);
}

std::FILE* freopen64(const char* path, const char* mode, std::FILE* stream) {
  return reopen_stream(path, mode, stream);
}

int truncate(const char* path, off_t bytes) noexcept {
  return truncate_file(path, bytes);
}

int truncate64(const char* path, off64_t bytes) noexcept {
  return truncate_file(path, bytes);
}

int rename(const char* from, const char* to) noexcept {
  if (!leaves_files()) return real_rename(from, to);
  if (std::strcmp(from, to) == 0) return 0;
  forget(to);
  copied_file* moved = find(from);
  if (moved != nullptr) std::snprintf(moved->path, sizeof moved->path, "%s", to);
  return 0;
}

int unlink(const char* path) noexcept {
  return leaves_files() ? leave_in_place(path) : real_unlink(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  return leaves_files() ? leave_in_place(path) : real_unlinkat(folder, path, flags);
}

int remove(const char* path) noexcept {
  return leaves_files() ? leave_in_place(path) : real_remove(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  return leaves_files() ? 0 : real_mkdir(path, mode);
}

int rmdir(const char* path) noexcept {
  return leaves_files() ? 0 : real_rmdir(path);
}

}  // extern "C"
