#include <stdio.h>
#include <sys/types.h>

#include <cstddef>

#include "call_sites.hpp"
#include "host_accesses.hpp"
#include "recorder.hpp"

/// In front of what the C library does to memory for the program, which its instrumentation does not see. The
/// linker puts these in (wrap_cuda_api.cmake), in what is linked with the program and nowhere else.
namespace lab::cupti {
namespace {

#define CALLER __builtin_return_address(0)

void note(const void* pointer, std::size_t bytes, bool write, const void* caller) {
  if (bytes == 0 || recorder::inside_cuda() || !called_by_program(caller)) return;
  host_accesses::note(pointer, bytes, write, false, caller);
}
void note_read(const void* pointer, std::size_t bytes, const void* caller) {
  note(pointer, bytes, false, caller);
}
void note_write(const void* pointer, std::size_t bytes, const void* caller) {
  note(pointer, bytes, true, caller);
}
void note_copy(const void* to, const void* from, std::size_t bytes, const void* caller) {
  note_read(from, bytes, caller);
  note_write(to, bytes, caller);
}

}  // namespace
}  // namespace lab::cupti

using namespace lab::cupti;

extern "C" {

#define LAB_COPIES(name)                                               \
  void* __real_##name(void*, const void*, std::size_t);                \
  void* __wrap_##name(void* to, const void* from, std::size_t bytes) { \
    note_copy(to, from, bytes, CALLER);                                \
    return __real_##name(to, from, bytes);                             \
  }
LAB_COPIES(memcpy)
LAB_COPIES(memmove)
LAB_COPIES(mempcpy)

void* __real_memset(void*, int, std::size_t);
void* __wrap_memset(void* to, int value, std::size_t bytes) {
  note_write(to, bytes, CALLER);
  return __real_memset(to, value, bytes);
}

int __real_memcmp(const void*, const void*, std::size_t);
int __wrap_memcmp(const void* left, const void* right, std::size_t bytes) {
  note_read(left, bytes, CALLER);
  note_read(right, bytes, CALLER);
  return __real_memcmp(left, right, bytes);
}

// Newer clang calls these from instrumented code instead of the plain names.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  note_copy(to, from, bytes, CALLER);
  return __real_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  note_copy(to, from, bytes, CALLER);
  return __real_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  note_write(to, bytes, CALLER);
  return __real_memset(to, value, bytes);
}

// Where the distribution's compiler fortifies by default, these stand for the plain names.
void* __real___memcpy_chk(void*, const void*, std::size_t, std::size_t);
void* __wrap___memcpy_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  note_copy(to, from, bytes, CALLER);
  return __real___memcpy_chk(to, from, bytes, room);
}
void* __real___memmove_chk(void*, const void*, std::size_t, std::size_t);
void* __wrap___memmove_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  note_copy(to, from, bytes, CALLER);
  return __real___memmove_chk(to, from, bytes, room);
}
void* __real___memset_chk(void*, int, std::size_t, std::size_t);
void* __wrap___memset_chk(void* to, int value, std::size_t bytes, std::size_t room) {
  note_write(to, bytes, CALLER);
  return __real___memset_chk(to, value, bytes, room);
}

std::size_t __real_fread(void*, std::size_t, std::size_t, FILE*);
std::size_t __wrap_fread(void* to, std::size_t size, std::size_t count, FILE* file) {
  const std::size_t got = __real_fread(to, size, count, file);
  note_write(to, size * got, CALLER);
  return got;
}
std::size_t __real_fwrite(const void*, std::size_t, std::size_t, FILE*);
std::size_t __wrap_fwrite(const void* from, std::size_t size, std::size_t count, FILE* file) {
  note_read(from, size * count, CALLER);
  return __real_fwrite(from, size, count, file);
}
ssize_t __real_read(int, void*, std::size_t);
ssize_t __wrap_read(int file, void* to, std::size_t bytes) {
  const ssize_t got = __real_read(file, to, bytes);
  if (got > 0) note_write(to, static_cast<std::size_t>(got), CALLER);
  return got;
}
ssize_t __real_write(int, const void*, std::size_t);
ssize_t __wrap_write(int file, const void* from, std::size_t bytes) {
  note_read(from, bytes, CALLER);
  return __real_write(file, from, bytes);
}

}  // extern "C"
