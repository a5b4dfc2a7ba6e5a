#include "load.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <system_error>
#include <trace/endless.hpp>

namespace lab::emulator::load {
namespace {

std::optional<std::mt19937_64> luck;  // none: there is no load

}  // namespace

void begin() {
  const char* text = std::getenv("LAB_EMULATED_LOAD");
  if (text == nullptr || *text == '\0') return;
  std::uint64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, number);
  luck.emplace(number);
  if (read.ec == std::errc() && read.ptr == end && number != 0) return;
  std::fprintf(stderr, "lab: LAB_EMULATED_LOAD=%s is no number above 0.\n", text);
  _exit(trace::own_failure);
}

trace::time_ns delay() {
  constexpr std::uint64_t one_in = 12, longest_ns = 6'000'000;
  if (!luck || (*luck)() % one_in != 0) return 0;
  return static_cast<trace::time_ns>((*luck)() % longest_ns);
}

}  // namespace lab::emulator::load
