#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>

#include "lab/bench.hpp"
#include "lab/stream.hpp"
#include "lab/workload.hpp"

TEST_SUITE_BEGIN("bench");

using namespace std::chrono_literals;

namespace {

std::chrono::nanoseconds median_of(std::vector<std::chrono::nanoseconds> samples) {
  return lab::median(samples);
}

}  // namespace

TEST_CASE("the median of odd and even counts") {
  CHECK(median_of({5ns}) == 5ns);
  CHECK(median_of({9ns, 1ns, 5ns}) == 5ns);
  CHECK(median_of({8ns, 2ns, 100ns, 4ns}) == 6ns);
}

TEST_CASE("each sample is one run, by either clock") {
  const lab::stream stream;
  for (const auto clock : {lab::bench_clock::host, lab::bench_clock::events}) {
    int runs = 0;
    const auto result = lab::bench(stream,
                                   [&] {
                                     ++runs;
                                     lab::launch_spin(5ms, stream);
                                   },
                                   {clock, 2, 4});
    CHECK(runs == 6);
    CHECK(result.samples.size() == 4);
    CHECK(result.median > 3ms);
    CHECK(result.median < 10ms);
    CHECK(result.spread >= 0);
    CHECK(result.spread < 0.5);
  }
}

TEST_CASE("the warm-up's tail is in no sample") {
  const lab::stream stream;
  int runs = 0;
  const auto result = lab::bench(stream, [&] { lab::launch_spin(runs++ == 0 ? 100ms : 5ms, stream); },
                                 {lab::bench_clock::host, 1, 3});
  CHECK(result.samples.front() < 20ms);
}

TEST_CASE("one odd sample moves the spread and not the median") {
  const lab::stream stream;
  int runs = 0;
  const auto result = lab::bench(stream, [&] { lab::launch_spin(runs++ == 1 ? 50ms : 5ms, stream); },
                                 {lab::bench_clock::events, 0, 5});
  CHECK(result.median < 10ms);
  CHECK(result.spread > 4);
}

TEST_CASE("options out of range are refused") {
  const lab::stream stream;
  CHECK_THROWS_AS(lab::bench(stream, [] {}, {lab::bench_clock::host, 1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(lab::bench(stream, [] {}, {lab::bench_clock::host, -1, 3}), std::invalid_argument);
}

TEST_SUITE_END();
