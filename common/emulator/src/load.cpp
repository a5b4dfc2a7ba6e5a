#include "load.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <trace/endless.hpp>

namespace lab::emulator::load {
namespace {

std::uint64_t state = 0;  // 0: there is no load

std::uint64_t next() {  // splitmix64
  state += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace

void begin() {
  const char* text = std::getenv("LAB_EMULATED_LOAD");
  if (text == nullptr || *text == '\0') return;
  char* end = nullptr;
  state = std::strtoull(text, &end, 10);
  if (*end == '\0' && *text != '-' && state != 0) return;
  std::fprintf(stderr, "lab: LAB_EMULATED_LOAD=%s is no number above 0.\n", text);
  _exit(trace::own_failure);
}

trace::time_ns delay() {
  if (state == 0) return 0;
  constexpr std::uint64_t one_in = 12, longest_ns = 6'000'000;
  if (next() % one_in != 0) return 0;
  return static_cast<trace::time_ns>(next() % longest_ns);
}

}  // namespace lab::emulator::load
