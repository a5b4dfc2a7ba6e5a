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
double late_ms(const trace_builder& made, double stopped_ms) {
  const recording seen(made.run);
  return late_ms(seen, {scale_of(seen).when().end, trace_builder::ns(stopped_ms)});
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
  CHECK(late_ms(made, 8.1) == doctest::Approx(2));
  CHECK(late_ms(made, 7) == doctest::Approx(1));  // the clock is stopped before, by another thread
}

TEST_CASE("so are a launch that returns only when its work has ended, a record and a query that take long") {
  one_kernel made;
  made.run.calls.back().end = trace_builder::ns(7);
  made.call("cudaEventRecord", 7, 7.5, 41);
  made.call("cudaEventQuery", 8, 8.25, 41);  // what the program does from 7.5 to 8 is its own affair
  CHECK(late_ms(made, 9) == doctest::Approx(1.75));
}

TEST_CASE("so is a thread that is preempted between its calls; one that sleeps is not") {
  one_kernel made;
  const auto pause = [&](lab::trace::pause_kind kind, double begin, double end) {
    made.run.pauses.push_back({made.thread, kind, trace_builder::ns(begin), trace_builder::ns(end), {}});
  };
  pause(lab::trace::pause_kind::preempted, 5, 7);  // a part of it after the work's end
  pause(lab::trace::pause_kind::slept, 7, 8);
  pause(lab::trace::pause_kind::preempted, 8, 8.5);
  CHECK(late_ms(made, 9) == doctest::Approx(1.5));
  CHECK(late_ms(made, 8.25) == doctest::Approx(1.25));
  made.thread = 1;  // at the same time as the other
  pause(lab::trace::pause_kind::preempted, 8.25, 8.75);
  CHECK(late_ms(made, 9) == doctest::Approx(1.75));
  const recording seen(made.run);
  CHECK(preempted_ms(seen, {trace_builder::ns(4), trace_builder::ns(8.25)}) == doctest::Approx(2.25));
}

TEST_CASE("so is a call that does not wait, whatever the device comes to meanwhile") {
  one_kernel made;
  made.kernel("elsewhere", 2, 1, 1.01, 8, 40);
  made.call("cudaEventRecord", 7, 9, 41);
  CHECK(late_ms(made, 10) == doctest::Approx(2));
}

TEST_CASE("so is a host function that is called late, of its own stream's work") {
  one_kernel made;
  made.kernel("before it", 2, 1, 1.01, 7, 40);
  made.host_function(2, 1.1, 9, 9.001, 41);
  CHECK(late_ms(made, 10) == doctest::Approx(2));
  CHECK(late_ms(made, 8) == doctest::Approx(1));
}

TEST_CASE("calls of two threads that are late together are late once") {
  one_kernel made;
  made.call("cudaStreamSynchronize", 1.01, 8, 41, 6.99);
  made.thread = 1;
  made.call("cudaStreamSynchronize", 1.01, 9, 41, 7.99);
  CHECK(late_ms(made, 10) == doctest::Approx(3));
}

TEST_CASE("they count in whichever order they began") {
  one_kernel made;
  made.kernel("elsewhere", 2, 1, 1.01, 8, 40);
  made.call("cudaDeviceSynchronize", 1.01, 9, 41, 7.99);  // late from 8 on
  made.thread = 1;
  made.call("cudaStreamSynchronize", 1.02, 7.5, 41, 6.48);
  CHECK(late_ms(made, 10) == doctest::Approx(1 + 1.5));
}

TEST_CASE("calls that take what they usually take are the program's affair, however many they are") {
  one_kernel made;
  for (int i = 0; i < 1000; ++i) made.call("cudaStreamQuery", 6 + i * 5 * us, 6 + (i + 1) * 5 * us, 41);
  CHECK(late_ms(made, 20) == 0);
  made.call("cudaMalloc", 11, 12, 42);  // may well take that
  CHECK(late_ms(made, 20) == 0);
}

TEST_CASE("what the host waits for besides is no delay") {
  one_kernel made;
  made.kernel("unrelated", 2, 1.1, 1.2, 200, 39);
  made.call("cudaDeviceSynchronize", 1.2, 200.05, 41, 198.8);
  CHECK(late_ms(made, 201) == doctest::Approx(50 * us));
}

TEST_CASE("two records lie as far apart as the host took for them, and the device to begin") {
  trace_builder made;
  made.record(1, 0.98, 0.9805, 39);  // 1 µs long, stamped in the middle
  made.kernel("scale", 1, 1, 1.5, 6, 40);
  made.record(1, 1.01, 6.004, 41);  // stamped late
  CHECK(recorded_apart_ms(made) == doctest::Approx(0.5 * us + 0.5 + 4 * us));
}

TEST_CASE("a stop record that is submitted late is stamped late, and that is the program's affair") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);
  made.kernel("scale", 1, 1, 1.01, 6, 40);
  made.record(1, 8, 8.001, 41);
  CHECK(recorded_apart_ms(made) == doctest::Approx(10 * us + 1 * us));
}

TEST_CASE("while the host is still inside the launch it can record nothing") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);
  made.kernel("scale", 1, 1, 1.01, 1.03, 40);
  made.run.calls.back().end = trace_builder::ns(5);
  made.record(1, 5, 5.001, 41);
  CHECK(recorded_apart_ms(made) == doctest::Approx(10 * us + 3.97 + 1 * us));
}

TEST_CASE("two records lie further apart where the thread is preempted between them and the work's launch") {
  trace_builder made;
  made.record(1, 0.1, 0.102, 39);
  made.kernel("scale", 1, 1, 1.01, 6, 40);
  made.record(1, 8, 8.001, 41);
  const double quiet_ms = recorded_apart_ms(made);
  made.run.pauses.push_back(
      {0, lab::trace::pause_kind::preempted, trace_builder::ns(0.5), trace_builder::ns(0.9), {}});
  CHECK(recorded_apart_ms(made) == doctest::Approx(quiet_ms + 0.4));
  made.run.pauses.push_back(
      {0, lab::trace::pause_kind::preempted, trace_builder::ns(5), trace_builder::ns(7.5), {}});
  CHECK(recorded_apart_ms(made) == doctest::Approx(quiet_ms + 0.4 + 1.5));  // after the work's end
}

TEST_CASE("what the device does between the work and a record is no delay") {
  trace_builder made;
  made.record(1, 0.99, 0.992, 39);
  made.kernel("scale", 1, 1, 1.01, 6, 40);
  made.kernel("next", 1, 1.02, 6.01, 46, 41);
  made.record(1, 1.03, 46.003, 42);
  CHECK(recorded_apart_ms(made) == doctest::Approx(10 * us + 3 * us));
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
}

TEST_CASE("a host function tells that what is ordered before it is done") {
  const auto told = [](trace_builder::id work_in, trace_builder::id function_in, bool non_blocking) {
    trace_builder made;
    made.run.streams = {{1, non_blocking, 1, 0, 0}, {2, false, 1, 0, 0}};
    made.kernel("scale", work_in, 1, 1.01, 6, 40);
    made.host_function(function_in, 1.1, 6.1, 6.2, 41);
    const recording seen(made.run);
    return seen.told_done(scale_of(seen)).has_value();
  };
  constexpr auto legacy = lab::trace::legacy_stream;
  CHECK(told(1, 1, true));
  CHECK(told(1, legacy, false));
  CHECK_FALSE(told(1, legacy, true));
  CHECK(told(legacy, 2, false));
  CHECK_FALSE(told(legacy, 1, true));
  CHECK_FALSE(told(1, 2, false));
}
