#include "load.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <trace/endless.hpp>

namespace lab::emulator::load {
namespace {

std::optional<std::mt19937_64> luck;  // none: there is no load

}  // namespace

void begin() {
  const char* text = std::getenv("LAB_EMULATED_LOAD");
  if (text == nullptr || *text == '\0') return;
  char* end = nullptr;
  const auto number = std::strtoull(text, &end, 10);
  luck.emplace(number);
  if (*end == '\0' && *text != '-' && number != 0) return;
  std::fprintf(stderr, "lab: LAB_EMULATED_LOAD=%s is no number above 0.\n", text);
  _exit(trace::own_failure);
}

trace::time_ns delay() {
  constexpr std::uint64_t one_in = 12, longest_ns = 6'000'000;
  if (!luck || (*luck)() % one_in != 0) return 0;
  return static_cast<trace::time_ns>((*luck)() % longest_ns);
}

}  // namespace lab::emulator::load
