#include <doctest/doctest.h>

#include <analysis/delays.hpp>

#include "support/trace_builder.hpp"

using namespace lab::analysis;

namespace {

constexpr double us = 1e-3;

/// scale, launched at 1 ms for 5 µs and running from 1.01 to 6 ms, in stream 1, and what else a test adds.
struct one_kernel : trace_builder {
  one_kernel() { kernel("scale", 1, 1, 1.01, 6, 40); }
};

work scale_of(const recording& seen) {
  return seen.kernels("scale").back();
}
double asked_for_ms(const trace_builder& made) {
  const recording seen(made.run);
  return asked_for(seen, scale_of(seen), scale_of(seen)).milliseconds();
}
double told_late_ms(const trace_builder& made) {
  const recording seen(made.run);
  return told_late_ms(seen, scale_of(seen));
}
double recorded_apart_ms(const trace_builder& made) {
  const recording seen(made.run);
  return recorded_apart_ms(seen, scale_of(seen), scale_of(seen));
}

}  // namespace

TEST_CASE("work is asked for when its launch begins, however late the device begins it") {
  CHECK(asked_for_ms(one_kernel()) == doctest::Approx(5));
}

TEST_CASE("where work is queued behind other work of its stream, it is asked for when that has ended") {
  trace_builder made;
  made.kernel("earlier", 1, 0.5, 0.51, 4, 39);
  made.kernel("elsewhere", 2, 0.6, 0.61, 5, 39);
  made.kernel("scale", 1, 1, 4.01, 6, 40);
  CHECK(asked_for_ms(made) == doctest::Approx(2));
}

TEST_CASE("a wait that comes back late after the end of the work is no time of the program's") {
  one_kernel made;
  made.call("cudaStreamSynchronize", 1.01, 8, 41, 6.99);
  made.run.calls.back().stream = 1;
  CHECK(told_late_ms(made) == doctest::Approx(2));
}

TEST_CASE("so is a launch that returns only when its work has ended, and a query that takes long") {
  one_kernel made;
  made.run.calls.back().end = trace_builder::ns(7);
  made.call("cudaStreamQuery", 7.5, 7.75, 41);  // what the program does from 7 to 7.5 is its own affair
  made.run.calls.back().stream = 1;
  CHECK(told_late_ms(made) == doctest::Approx(1.25));
}

TEST_CASE("what the host waits for besides is no delay") {
  one_kernel made;
  made.kernel("unrelated", 2, 1.1, 1.2, 200, 39);
  made.call("cudaDeviceSynchronize", 1.2, 200.01, 41, 198.8);
  CHECK(told_late_ms(made) == doctest::Approx(10 * us));
}

TEST_CASE("a program that sleeps, or that nobody tells, has no delay") {
  CHECK(told_late_ms(one_kernel()) == 0);
  one_kernel made;
  made.run.pauses.push_back({});
  made.run.pauses.back().begin = trace_builder::ns(6);
  made.run.pauses.back().end = trace_builder::ns(8);
  made.call("cudaStreamSynchronize", 8, 8 + 2 * us, 41);
  made.run.calls.back().stream = 1;
  CHECK(told_late_ms(made) == doctest::Approx(2 * us));
}

TEST_CASE("two records lie as far apart as the host took for them, and the device to begin") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);  // 1 µs long
  made.kernel("scale", 1, 1, 1.5, 6, 40);
  made.record(1, 1.01, 6.004, 41);  // stamped late
  CHECK(recorded_apart_ms(made) == doctest::Approx(1 * us + 0.5 + 1 * us + 4 * us));
}

TEST_CASE("a stop record that is submitted late is stamped late, and that is the program's affair") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);
  made.kernel("scale", 1, 1, 1.01, 6, 40);
  made.record(1, 8, 8.001, 41);
  CHECK(recorded_apart_ms(made) == doctest::Approx(1 * us + 10 * us + 1 * us));
}

TEST_CASE("while the host is still inside the launch it can record nothing") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);
  made.kernel("scale", 1, 1, 1.01, 1.03, 40);
  made.run.calls.back().end = trace_builder::ns(5);
  made.record(1, 5, 5.001, 41);
  CHECK(recorded_apart_ms(made) == doctest::Approx(1 * us + 10 * us + 3.97 + 1 * us));
}

TEST_CASE("what the device does between the work and a record is no delay") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);
  made.kernel("scale", 1, 1, 1.01, 6, 40);
  made.kernel("next", 1, 1.02, 6.01, 46, 41);
  made.record(1, 1.03, 46.003, 42);
  CHECK(recorded_apart_ms(made) == doctest::Approx(1 * us + 10 * us + 1 * us + 3 * us));
}

TEST_CASE("times of a real device may be off on the host's clock by some microseconds") {
  one_kernel made;
  made.call("cudaStreamSynchronize", 1.01, 5.995, 41, 4.9);
  made.run.calls.back().stream = 1;
  made.run.device.emulated = true;
  const recording emulated(made.run);
  CHECK_FALSE(emulated.told_done(scale_of(emulated)));
  made.run.device.emulated = false;
  const recording real(made.run);
  REQUIRE(real.told_done(scale_of(real)));
  CHECK(*real.told_done(scale_of(real)) == trace_builder::ns(5.995));
  CHECK(told_late_ms(real, scale_of(real)) == 0);
}
