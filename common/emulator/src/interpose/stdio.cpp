#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "interpose/entry.hpp"
#include "interpose/ranges.hpp"
#include "interpose/real.hpp"

/// printf and its kin. In a kernel they are the device's printf (the compiler turns printf("x\n") into puts,
/// and printf("%c", c) into putchar); in host code they are libc's, charged for what they write.
namespace lab::emulator {

namespace {

real<int(const char*, std::va_list)> real_vprintf("vprintf");
real<int(std::FILE*, const char*, std::va_list)> real_vfprintf("vfprintf");
real<int(const char*)> real_puts("puts");
real<int(int)> real_putchar("putchar");
real<int(const char*, std::FILE*)> real_fputs("fputs");
real<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)> real_fwrite("fwrite");
real<std::size_t(void*, std::size_t, std::size_t, std::FILE*)> real_fread("fread");

int charged(int written) {
  if (written > 0) charge_host(static_cast<std::size_t>(written));
  return written;
}

[[gnu::format(printf, 1, 2)]] int print_on_device(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int result = device_printf(format, arguments);
  va_end(arguments);
  return result;
}

int print(const char* format, std::va_list arguments) {
  if (executing == execution::kernel) return device_printf(format, arguments);
  return charged(real_vprintf(format, arguments));
}

int print_to(std::FILE* file, const char* format, std::va_list arguments, const char* function) {
  host_only(function);
  return charged(real_vfprintf(file, format, arguments));
}

}  // namespace

}  // namespace lab::emulator

using namespace lab::emulator;

#define CALLER __builtin_return_address(0)
#define PRINT_WITH(call)       \
  std::va_list arguments;      \
  va_start(arguments, format); \
  const int result = call;     \
  va_end(arguments);           \
  return result

extern "C" {

int printf(const char* format, ...) {
  PRINT_WITH(print(format, arguments));
}

// libc's headers define these two inline where they may; hence names of their own here.
int lab_vprintf(const char* format, std::va_list arguments) asm("vprintf");
int lab_vprintf(const char* format, std::va_list arguments) {
  return print(format, arguments);
}

int lab_putchar(int character) asm("putchar");
int lab_putchar(int character) {
  if (executing == execution::kernel) return print_on_device("%c", character);
  return real_putchar(character);
}

int fprintf(std::FILE* file, const char* format, ...) {
  PRINT_WITH(print_to(file, format, arguments, "fprintf"));
}

int vfprintf(std::FILE* file, const char* format, std::va_list arguments) {
  if (executing == execution::kernel && file == stdout)
    return device_printf(format, arguments);  // inlined vprintf
  return print_to(file, format, arguments, "vfprintf");
}

// Where the distribution's compiler fortifies by default, these stand for the plain names.
int __printf_chk(int, const char* format, ...) {
  PRINT_WITH(print(format, arguments));
}

int __vprintf_chk(int, const char* format, std::va_list arguments) {
  return print(format, arguments);
}

int __fprintf_chk(std::FILE* file, int, const char* format, ...) {
  PRINT_WITH(print_to(file, format, arguments, "fprintf"));
}

int __vfprintf_chk(std::FILE* file, int, const char* format, std::va_list arguments) {
  return print_to(file, format, arguments, "vfprintf");
}

int puts(const char* text) {
  if (executing == execution::kernel) return print_on_device("%s\n", text);
  if (!may_read(text, 1, "puts", CALLER)) return EOF;
  return charged(real_puts(text));
}

int fputs(const char* text, std::FILE* file) {
  host_only("fputs");
  if (!may_read(text, 1, "fputs", CALLER)) return EOF;
  return charged(real_fputs(text, file));
}

std::size_t fwrite(const void* from, std::size_t bytes, std::size_t count, std::FILE* file) {
  host_only("fwrite");
  if (!may_read(from, bytes * count, "fwrite", CALLER)) return 0;
  charge_host(bytes * count);
  return real_fwrite(from, bytes, count, file);
}

std::size_t fread(void* to, std::size_t bytes, std::size_t count, std::FILE* file) {
  host_only("fread");
  if (!may_write(to, bytes * count, "fread", CALLER)) return 0;
  charge_host(bytes * count);
  return real_fread(to, bytes, count, file);
}

}  // extern "C"
