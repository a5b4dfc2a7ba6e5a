#include <cstddef>
#include <cstdint>

#include "interpose/ranges.hpp"
#include "interpose/real.hpp"

/// memcpy and its kin: what the compiler's instrumentation does not see, because libc does the access. Each
/// range is checked for device memory (or is a kernel's access), then libc's own function does the work.
///
/// The functions have names of their own in C++ and libc's in the object file: neither a header's overloads
/// nor what the compiler believes of memcpy gets in the way.
#define INTERPOSES(name) asm(#name)

namespace lab::emulator {

namespace {

using copy_function = void*(void*, const void*, std::size_t);
using fill_function = void*(void*, int, std::size_t);
using find_byte_function = void*(const void*, int, std::size_t);
using compare_function = int(const void*, const void*, std::size_t);
using length_function = std::size_t(const char*);
using copy_string_function = char*(char*, const char*);
using copy_bounded_function = char*(char*, const char*, std::size_t);
using compare_strings_function = int(const char*, const char*);
using compare_bounded_function = int(const char*, const char*, std::size_t);
using find_char_function = char*(const char*, int);

real<copy_function> real_memmove("memmove");
real<fill_function> real_memset("memset");
real<find_byte_function> real_memchr("memchr");
real<compare_function> real_memcmp("memcmp");
real<length_function> real_strlen("strlen");
real<std::size_t(const char*, std::size_t)> real_strnlen("strnlen");
real<copy_string_function> real_strcpy("strcpy");
real<copy_string_function> real_stpcpy("stpcpy");
real<copy_bounded_function> real_strncpy("strncpy");
real<copy_string_function> real_strcat("strcat");
real<copy_bounded_function> real_strncat("strncat");
real<compare_strings_function> real_strcmp("strcmp");
real<compare_bounded_function> real_strncmp("strncmp");
real<find_char_function> real_strchr("strchr");
real<find_char_function> real_strrchr("strrchr");

using word [[gnu::may_alias, gnu::aligned(1)]] = std::uint64_t;
using half [[gnu::may_alias, gnu::aligned(1)]] = std::uint32_t;

/// Up to 16 bytes by two overlapping words, larger ones by libc: most copies are small, and a call costs
/// more.
inline void* copy(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  if (bytes > 16) return real_memmove(to, from, bytes);
  if (bytes >= 8) {
    const word first = *reinterpret_cast<const word*>(source);
    const word last = *reinterpret_cast<const word*>(source + bytes - 8);
    *reinterpret_cast<word*>(target) = first;
    *reinterpret_cast<word*>(target + bytes - 8) = last;
  } else if (bytes >= 4) {
    const half first = *reinterpret_cast<const half*>(source);
    const half last = *reinterpret_cast<const half*>(source + bytes - 4);
    *reinterpret_cast<half*>(target) = first;
    *reinterpret_cast<half*>(target + bytes - 4) = last;
  } else if (bytes > 0) {
    const unsigned char first = source[0], middle = source[bytes / 2], last = source[bytes - 1];
    target[0] = first;
    target[bytes / 2] = middle;
    target[bytes - 1] = last;
  }
  return to;
}

inline void* checked_copy(void* to, const void* from, std::size_t bytes, const char* function,
                          const void* caller) {
  if (executing == execution::runtime) return copy(to, from, bytes);
  if (!may_read(from, bytes, function, caller) || !may_write(to, bytes, function, caller)) return to;
  charge_host(bytes);
  return copy(to, from, bytes);
}

inline void* checked_fill(void* to, int value, std::size_t bytes, const char* function, const void* caller) {
  if (executing != execution::runtime) {
    if (!may_write(to, bytes, function, caller)) return to;
    charge_host(bytes);
  }
  return real_memset(to, value, bytes);
}

constexpr std::size_t unlimited = SIZE_MAX / 2;

std::size_t bytes_of(const char* string, std::size_t limit) {
  const std::size_t length = real_strnlen(string, limit);
  return length < limit ? length + 1 : limit;
}

/// A string of at most `limit` bytes is going to be read. For host code its first byte tells whether it is
/// device memory, so that a search through a long text stays cheap; a kernel's access is recorded to its end.
bool may_read_string(const char* string, std::size_t limit, const char* function, const void* caller) {
  if (limit == 0) return true;
  if (executing == execution::kernel) kernel_range_access(string, bytes_of(string, limit), false, caller);
  return executing != execution::host || may_read(string, 1, function, caller);
}

/// Two strings are going to be compared, which mostly ends soon: host code pays for a word of each.
bool may_compare(const char* left, const char* right, std::size_t limit, const char* function,
                 const void* caller) {
  charge_host(sizeof(word));
  return may_read_string(left, limit, function, caller) && may_read_string(right, limit, function, caller);
}

bool may_copy_string(char* to, const char* from, std::size_t limit, const char* function,
                     const void* caller) {
  if (executing == execution::runtime) return true;
  if (!may_read_string(from, limit, function, caller)) return false;
  const std::size_t bytes = bytes_of(from, limit);
  charge_host(bytes);
  return may_write(to, bytes, function, caller);
}

bool may_append(char* to, const char* from, std::size_t limit, const char* function, const void* caller) {
  if (executing == execution::runtime) return true;
  if (!may_read_string(to, unlimited, function, caller)) return false;
  return may_copy_string(to + real_strlen(to), from, limit, function, caller);
}

/// The program was told that `found` is in `string`, and has read that far.
char* charge_search(const char* string, char* found) {
  charge_host(found == nullptr ? sizeof(word) : static_cast<std::size_t>(found - string) + 1);
  return found;
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

#define CALLER __builtin_return_address(0)

extern "C" {

void* lab_memcpy(void* to, const void* from, std::size_t bytes) INTERPOSES(memcpy);
void* lab_memcpy(void* to, const void* from, std::size_t bytes) {
  return checked_copy(to, from, bytes, "memcpy", CALLER);
}

void* lab_memmove(void* to, const void* from, std::size_t bytes) INTERPOSES(memmove);
void* lab_memmove(void* to, const void* from, std::size_t bytes) {
  return checked_copy(to, from, bytes, "memmove", CALLER);
}

void* lab_mempcpy(void* to, const void* from, std::size_t bytes) INTERPOSES(mempcpy);
void* lab_mempcpy(void* to, const void* from, std::size_t bytes) {
  return static_cast<char*>(checked_copy(to, from, bytes, "mempcpy", CALLER)) + bytes;
}

void lab_bcopy(const void* from, void* to, std::size_t bytes) INTERPOSES(bcopy);
void lab_bcopy(const void* from, void* to, std::size_t bytes) {
  checked_copy(to, from, bytes, "bcopy", CALLER);
}

void* lab_memset(void* to, int value, std::size_t bytes) INTERPOSES(memset);
void* lab_memset(void* to, int value, std::size_t bytes) {
  return checked_fill(to, value, bytes, "memset", CALLER);
}

void lab_bzero(void* to, std::size_t bytes) INTERPOSES(bzero);
void lab_bzero(void* to, std::size_t bytes) {
  checked_fill(to, 0, bytes, "bzero", CALLER);
}

// Newer clang calls these from instrumented code instead of the plain names.
void* lab_tsan_memcpy(void* to, const void* from, std::size_t bytes) INTERPOSES(__tsan_memcpy);
void* lab_tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  return checked_copy(to, from, bytes, "memcpy", CALLER);
}

void* lab_tsan_memmove(void* to, const void* from, std::size_t bytes) INTERPOSES(__tsan_memmove);
void* lab_tsan_memmove(void* to, const void* from, std::size_t bytes) {
  return checked_copy(to, from, bytes, "memmove", CALLER);
}

void* lab_tsan_memset(void* to, int value, std::size_t bytes) INTERPOSES(__tsan_memset);
void* lab_tsan_memset(void* to, int value, std::size_t bytes) {
  return checked_fill(to, value, bytes, "memset", CALLER);
}

// Where the distribution's compiler fortifies by default, these stand for the plain names.
[[noreturn]] void __chk_fail();

void* lab_memcpy_chk(void* to, const void* from, std::size_t bytes, std::size_t room)
    INTERPOSES(__memcpy_chk);
void* lab_memcpy_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  if (room < bytes) __chk_fail();
  return checked_copy(to, from, bytes, "memcpy", CALLER);
}

void* lab_memmove_chk(void* to, const void* from, std::size_t bytes, std::size_t room)
    INTERPOSES(__memmove_chk);
void* lab_memmove_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  if (room < bytes) __chk_fail();
  return checked_copy(to, from, bytes, "memmove", CALLER);
}

void* lab_memset_chk(void* to, int value, std::size_t bytes, std::size_t room) INTERPOSES(__memset_chk);
void* lab_memset_chk(void* to, int value, std::size_t bytes, std::size_t room) {
  if (room < bytes) __chk_fail();
  return checked_fill(to, value, bytes, "memset", CALLER);
}

int lab_memcmp(const void* left, const void* right, std::size_t bytes) INTERPOSES(memcmp);
int lab_memcmp(const void* left, const void* right, std::size_t bytes) {
  if (executing != execution::runtime) {
    if (!may_read(left, bytes, "memcmp", CALLER) || !may_read(right, bytes, "memcmp", CALLER)) return 0;
    charge_host(bytes);
  }
  return real_memcmp(left, right, bytes);
}

int lab_bcmp(const void* left, const void* right, std::size_t bytes) INTERPOSES(bcmp);
int lab_bcmp(const void* left, const void* right, std::size_t bytes) {
  if (executing != execution::runtime) {
    if (!may_read(left, bytes, "memcmp", CALLER) || !may_read(right, bytes, "memcmp", CALLER)) return 0;
    charge_host(bytes);
  }
  return real_memcmp(left, right, bytes);
}

void* lab_memchr(const void* in, int value, std::size_t bytes) INTERPOSES(memchr);
void* lab_memchr(const void* in, int value, std::size_t bytes) {
  if (executing == execution::host && bytes > 0 && !may_read(in, 1, "memchr", CALLER)) return nullptr;
  void* found = real_memchr(in, value, bytes);
  if (executing != execution::runtime) {
    const std::size_t read =
        found == nullptr
            ? bytes
            : static_cast<std::size_t>(static_cast<char*>(found) - static_cast<const char*>(in)) + 1;
    if (!may_read(in, read, "memchr", CALLER)) return nullptr;
    charge_host(read);
  }
  return found;
}

std::size_t lab_strlen(const char* string) INTERPOSES(strlen);
std::size_t lab_strlen(const char* string) {
  if (!may_read_string(string, unlimited, "strlen", CALLER)) return 0;
  const std::size_t length = real_strlen(string);
  charge_host(length + 1);
  return length;
}

std::size_t lab_strnlen(const char* string, std::size_t limit) INTERPOSES(strnlen);
std::size_t lab_strnlen(const char* string, std::size_t limit) {
  if (!may_read_string(string, limit, "strnlen", CALLER)) return 0;
  const std::size_t length = real_strnlen(string, limit);
  charge_host(length + 1);
  return length;
}

char* lab_strcpy(char* to, const char* from) INTERPOSES(strcpy);
char* lab_strcpy(char* to, const char* from) {
  return may_copy_string(to, from, unlimited, "strcpy", CALLER) ? real_strcpy(to, from) : to;
}

char* lab_stpcpy(char* to, const char* from) INTERPOSES(stpcpy);
char* lab_stpcpy(char* to, const char* from) {
  return may_copy_string(to, from, unlimited, "stpcpy", CALLER) ? real_stpcpy(to, from) : to;
}

char* lab_strncpy(char* to, const char* from, std::size_t bytes) INTERPOSES(strncpy);
char* lab_strncpy(char* to, const char* from, std::size_t bytes) {
  if (!may_write(to, bytes, "strncpy", CALLER) || !may_copy_string(to, from, bytes, "strncpy", CALLER))
    return to;
  return real_strncpy(to, from, bytes);
}

char* lab_strcat(char* to, const char* from) INTERPOSES(strcat);
char* lab_strcat(char* to, const char* from) {
  return may_append(to, from, unlimited, "strcat", CALLER) ? real_strcat(to, from) : to;
}

char* lab_strncat(char* to, const char* from, std::size_t bytes) INTERPOSES(strncat);
char* lab_strncat(char* to, const char* from, std::size_t bytes) {
  return may_append(to, from, bytes, "strncat", CALLER) ? real_strncat(to, from, bytes) : to;
}

int lab_strcmp(const char* left, const char* right) INTERPOSES(strcmp);
int lab_strcmp(const char* left, const char* right) {
  return may_compare(left, right, unlimited, "strcmp", CALLER) ? real_strcmp(left, right) : 0;
}

int lab_strncmp(const char* left, const char* right, std::size_t bytes) INTERPOSES(strncmp);
int lab_strncmp(const char* left, const char* right, std::size_t bytes) {
  return may_compare(left, right, bytes, "strncmp", CALLER) ? real_strncmp(left, right, bytes) : 0;
}

char* lab_strchr(const char* string, int value) INTERPOSES(strchr);
char* lab_strchr(const char* string, int value) {
  if (!may_read_string(string, unlimited, "strchr", CALLER)) return nullptr;
  return charge_search(string, real_strchr(string, value));
}

char* lab_strrchr(const char* string, int value) INTERPOSES(strrchr);
char* lab_strrchr(const char* string, int value) {
  if (!may_read_string(string, unlimited, "strrchr", CALLER)) return nullptr;
  return charge_search(string, real_strrchr(string, value));
}

}  // extern "C"
