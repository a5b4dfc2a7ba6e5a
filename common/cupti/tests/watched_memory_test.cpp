#include "../watched_memory.hpp"

#include <doctest/doctest.h>

using namespace lab;
using namespace lab::cupti;

namespace {

constexpr address buffer = 0x10000, other = 0x20000, stream = 0x5000;

seen_call of_memory(action what, address memory, std::uint64_t bytes = 0) {
  seen_call call;
  call.what = what;
  call.memory = memory;
  call.bytes = bytes;
  return call;
}

seen_call upload(address from, std::uint64_t bytes, bool returns_at_once = true) {
  seen_call call;
  call.what = action::copy;
  call.direction = trace::copy_direction::host_to_device;
  call.takes_stream = returns_at_once;
  call.stream = stream;
  call.touches = {{from, bytes, false}, {0x7000000, bytes, true}};
  return call;
}

seen_call wait(action what, address for_stream = 0) {
  seen_call call;
  call.what = what;
  call.stream = for_stream;
  return call;
}

bool watches(const watched_memory& memory, address at) {
  CHECK((memory.may_hold(at, 4) || !memory.around(at, at + 4).watched));
  return memory.around(at, at + 4).watched;
}

}  // namespace

TEST_CASE("pinned, registered and managed memory is watched until it is given back") {
  for (const auto& [taken, given_back] : {std::pair(action::allocate_pinned, action::free_pinned),
                                          std::pair(action::allocate_managed, action::free_memory),
                                          std::pair(action::register_memory, action::unregister_memory)}) {
    watched_memory memory;
    CHECK_FALSE(memory.may_hold(buffer, 4));
    memory.after(of_memory(taken, buffer, 4096));
    CHECK(watches(memory, buffer));
    CHECK(watches(memory, buffer + 4092));
    CHECK_FALSE(watches(memory, buffer + 4096));
    CHECK_FALSE(watches(memory, buffer - 4));
    CHECK(watches(memory, buffer - 2));  // its second half
    memory.after(of_memory(given_back, buffer));
    CHECK_FALSE(watches(memory, buffer));
  }
}

TEST_CASE("memory that a call did not give is not watched") {
  watched_memory memory;
  auto failed = of_memory(action::allocate_pinned, buffer, 4096);
  failed.status = 2;
  memory.after(failed);
  CHECK_FALSE(watches(memory, buffer));
}

TEST_CASE("ordinary memory of a copy is watched until the host has waited for the copy's stream") {
  for (const auto& [waits, knows] : {std::pair(wait(action::synchronize_stream, stream), true),
                                     std::pair(wait(action::synchronize_device), true),
                                     std::pair(wait(action::synchronize_stream, 0x6000), false)}) {
    watched_memory memory;
    memory.after(upload(buffer, 64));
    CHECK(watches(memory, buffer + 60));
    CHECK_FALSE(watches(memory, buffer + 64));
    CHECK_FALSE(watches(memory, 0x7000000));  // the device's
    memory.after(waits);
    CHECK(watches(memory, buffer) == !knows);
  }
}

TEST_CASE("ordinary memory of a graph's copies is watched, what is only captured is not") {
  watched_memory memory;
  auto captured = upload(buffer, 4096);
  captured.is_captured = true;
  memory.after(captured);
  CHECK_FALSE(watches(memory, buffer));
  seen_call graph;
  graph.what = action::launch_graph;
  graph.takes_stream = true;
  graph.stream = stream;
  graph.touches = {
      {buffer, 64, false, false, false, true}, {other, 64, true, false, false, true}, {0x7000000, 64, true}};
  memory.after(graph);
  CHECK(watches(memory, buffer));
  CHECK(watches(memory, other));
  CHECK_FALSE(watches(memory, buffer + 64));
  CHECK_FALSE(watches(memory, 0x7000000));
  memory.after(wait(action::synchronize_stream, stream));
  CHECK_FALSE(watches(memory, buffer));
}

TEST_CASE("a copy of rows is watched from the first to the last") {
  watched_memory memory;
  auto rows = upload(buffer, 16);
  rows.touches = {{buffer, 16, false}, {buffer + 64, 16, false}, {0x7000000, 16, true}};
  memory.after(rows);
  CHECK(watches(memory, buffer));
  CHECK(watches(memory, buffer + 79));
  CHECK_FALSE(watches(memory, buffer + 80));
  CHECK_FALSE(watches(memory, 0x7000000));
}

TEST_CASE("a copy that returns when the host may use its memory is not watched") {
  watched_memory memory;
  memory.after(upload(buffer, 64, false));
  CHECK_FALSE(watches(memory, buffer));
}

TEST_CASE("what another run of the program has left is not watched") {
  watched_memory memory;
  memory.after(of_memory(action::allocate_pinned, buffer, 16));
  memory.after(upload(other, 64));
  memory.forget();
  CHECK_FALSE(watches(memory, buffer));
  CHECK_FALSE(watches(memory, other));
}

TEST_CASE("around memory without interest there is none up to what is watched") {
  watched_memory memory;
  memory.after(of_memory(action::allocate_pinned, buffer, 16));
  memory.after(upload(other, 64));
  const auto between = memory.around(buffer + 100, buffer + 104);
  CHECK_FALSE(between.watched);
  CHECK(between.low == buffer + 16);
  CHECK(between.high == other);
  const auto generation = memory.generation();
  memory.after(of_memory(action::free_pinned, buffer));
  CHECK(memory.generation() == generation);
  memory.after(upload(buffer + 100, 4));
  CHECK(memory.generation() != generation);
}
