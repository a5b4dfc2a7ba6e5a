// What instrumented host code does to memory that CUDA knows, as far as no CUDA is needed for it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "../host_accesses.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "../recorder.hpp"
#include "host_program.hpp"

using namespace lab;
using namespace lab::cupti;

namespace {

std::mutex lock;
std::vector<seen_host_access> recorded;
bool inside = false;

}  // namespace

/// In place of the recorder on a GPU.
namespace lab::cupti::recorder {

void add(const seen_host_access& access) {
  const std::lock_guard held(lock);
  recorded.push_back(access);
}
std::uint32_t stack_here(const void* innermost) {
  return innermost == nullptr ? 0 : 1;
}
int thread_number() {
  static std::atomic<int> threads{0};
  thread_local const int mine = threads++;
  return mine;
}
trace::sequence next_in_sequence() {
  static std::atomic<trace::sequence> last{0};
  return ++last;
}
bool inside_cuda() {
  return inside;
}

}  // namespace lab::cupti::recorder

namespace {

constexpr int count = 1000;
constexpr std::size_t bytes = count * sizeof(float);

/// Memory that CUDA knows, and a stretch of host code.
struct pinned_memory {
  float memory[count] = {};

  pinned_memory() {
    recorded.clear();
    recorder::thread_number();
    host_accesses::after(call(action::allocate_pinned));
  }
  ~pinned_memory() { host_accesses::after(call(action::free_pinned)); }

  address begin() const { return reinterpret_cast<address>(memory); }

  std::vector<seen_host_access> accesses() const {
    host_accesses::end_stretch();
    return std::exchange(recorded, {});
  }

  /// Whether that is all that was done: to all of it.
  void is_used_whole(bool write) const {
    address low = begin() + bytes, high = begin();
    for (const auto& each : accesses()) {
      CHECK(each.write == write);
      CHECK_FALSE(each.atomic);
      CHECK(each.stack == 1);
      low = std::min(low, each.begin);
      high = std::max(high, each.end);
    }
    CHECK(low == begin());
    CHECK(high == begin() + bytes);
  }

 private:
  seen_call call(action what) const {
    seen_call made;
    made.what = what;
    made.memory = begin();
    made.bytes = bytes;
    return made;
  }
};

}  // namespace

TEST_CASE("a loop of host code is recorded, and nothing of it before the stretch ends") {
  pinned_memory pinned;
  host_program::fill(pinned.memory, count);
  CHECK(recorded.empty());
  pinned.is_used_whole(true);
  CHECK(host_program::sum(pinned.memory, count) > 0);
  pinned.is_used_whole(false);
}

TEST_CASE("what the C library does for the program is recorded") {
  pinned_memory pinned;
  float other[count] = {};
  host_program::clear(pinned.memory, bytes);
  pinned.is_used_whole(true);
  host_program::copy(pinned.memory, other, count);
  pinned.is_used_whole(true);
  host_program::copy(other, pinned.memory, count);
  pinned.is_used_whole(false);
  CHECK(host_program::equal(pinned.memory, other, count));
  pinned.is_used_whole(false);
}

TEST_CASE("what libraries do, and what happens inside the runtime, is none of the program's") {
  pinned_memory pinned;
  std::memset(pinned.memory, 0, bytes);  // from code that is not instrumented
  inside = true;
  host_program::clear(pinned.memory, bytes);
  inside = false;
  CHECK(pinned.accesses().empty());
}

TEST_CASE("other memory is of no interest, nor is this one once it is given back") {
  float other[count] = {};
  {
    pinned_memory pinned;
    host_program::fill(other, count);
    CHECK(pinned.accesses().empty());
  }
  pinned_memory elsewhere;
  host_program::fill(other, count);
  CHECK(elsewhere.accesses().empty());
}

TEST_CASE("memory that becomes of interest is, though it was not before") {
  recorded.clear();
  alignas(pinned_memory) unsigned char room[sizeof(pinned_memory)];
  host_program::fill(reinterpret_cast<float*>(room), count);
  auto* pinned = new (room) pinned_memory;
  host_program::fill(pinned->memory, count);
  pinned->is_used_whole(true);
  pinned->~pinned_memory();
}

TEST_CASE("flags and counters may be used by others at the same time") {
  pinned_memory pinned;
  host_program::raise_flag(reinterpret_cast<int*>(pinned.memory));
  host_program::add_to_counter(reinterpret_cast<int*>(pinned.memory) + 2);
  const auto accesses = pinned.accesses();
  REQUIRE(accesses.size() == 2);
  for (const auto& each : accesses) {
    CHECK(each.atomic);
    CHECK(each.write);
  }
  CHECK(accesses[1].begin == pinned.begin() + 8);
}

TEST_CASE("each thread has its own stretches, which end with it") {
  pinned_memory pinned;
  const auto half = [&](int first) { host_program::fill(pinned.memory + first, count / 2); };
  std::thread other(half, 0);
  half(count / 2);
  other.join();
  REQUIRE(recorded.size() >= 1);
  for (const auto& each : recorded) {
    CHECK(each.thread != recorder::thread_number());
    CHECK(each.end <= pinned.begin() + bytes / 2);
  }
  const auto accesses = pinned.accesses();
  CHECK(accesses.back().thread == recorder::thread_number());
  CHECK(accesses.back().end == pinned.begin() + bytes);
}
