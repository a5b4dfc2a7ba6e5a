#include <doctest/doctest.h>

#include <analysis/recording.hpp>
#include <cmath>

#include "support/trace_builder.hpp"

using namespace lab::analysis;

namespace {

recording two_streams() {
  trace_builder made;
  made.kernel("scale", 1, 1, 2, 6, 40);
  made.kernel("scale", 2, 1.1, 5, 9, 41);
  made.copy(2, 1.2, 10, 12, 42);
  made.call("cudaStreamSynchronize", 1.3, 12.1, 43, 10.8);
  made.event(true, 50);
  made.event(false, 60);
  return recording(made.run);
}

}  // namespace

TEST_CASE("calls and kernels are found by name") {
  const recording seen = two_streams();
  CHECK(seen.called("cudaStreamSynchronize"));
  CHECK_FALSE(seen.called("cudaDeviceSynchronize"));
  CHECK(seen.kernels("scale").size() == 2);
  CHECK(seen.kernels("add").empty());
  CHECK(seen.kernels().size() == 2);
  CHECK(seen.copies().size() == 1);
  CHECK(seen.work_on(2).size() == 2);
  CHECK(seen.call("cudaStreamSynchronize").where() == "student.cu:43");
  CHECK(seen.copies()[0].where() == "student.cu:42");
}

TEST_CASE("asking for the one kernel says what there is instead") {
  const recording seen = two_streams();
  CHECK_THROWS_WITH_AS(seen.kernel("add"), "the kernel add was never launched", not_found);
  CHECK_THROWS_WITH_AS(seen.kernel("scale"), "the kernel scale was launched 2 times, not once", not_found);
  CHECK_THROWS_WITH_AS(seen.call("cudaFree"), "the program never calls cudaFree", not_found);
}

TEST_CASE("order and overlap follow the times") {
  const recording seen = two_streams();
  const auto kernels = seen.kernels();
  CHECK(before(kernels[1], seen.copies()[0]));
  CHECK_FALSE(before(kernels[0], kernels[1]));
  CHECK(overlap(kernels[0], kernels[1]) == doctest::Approx(1));
  CHECK(overlap(kernels[0], seen.copies()[0]) == 0);
  CHECK(overlap({kernels[0]}, {kernels[1], kernels[1]}) ==
        doctest::Approx(1));  // the same millisecond counts once
}

TEST_CASE("the host's blocked time is summed, whole or within a stretch") {
  const recording seen = two_streams();
  CHECK(seen.host_blocked_ms() == doctest::Approx(10.8));
  CHECK(seen.host_blocked_ms({0, trace_builder::ns(1.2)}) == 0);
}

TEST_CASE("what was not given back is named with its place") {
  const recording seen = two_streams();
  REQUIRE(seen.leaked_events().size() == 1);
  CHECK(seen.leaked_events()[0].where == "student.cu:60");
  CHECK(seen.leaked_streams().empty());
  CHECK(seen.leaks().size() == 1);
}

TEST_CASE("calls are found by the function that makes them") {
  trace_builder made;
  made.call("cudaMalloc", 0, 1, 10);
  made.run.calls[0].stack = trace_builder::stack(10, "lab::time_with_clock(std::function<void ()> const&)");
  const recording seen(made.run);
  CHECK(seen.calls_in("time_with_clock").size() == 1);
  CHECK(seen.calls_in("with_clock").empty());
  CHECK(seen.calls_in("time_with").empty());
}

TEST_CASE("work between two records is what the stop's stream did") {
  trace_builder made;
  const auto start = made.record(1, 1, 1.01, 41);
  made.kernel("spin", 1, 1.002, 1.02, 6.04, 42);
  made.kernel("other", 2, 1.003, 1.02, 6.04, 42);
  const auto stop = made.record(1, 1.01, 6.04, 43);
  made.elapsed(start, stop, 7, 45);
  const recording seen(made.run);
  REQUIRE(seen.elapsed_times().size() == 1);
  const auto elapsed = seen.elapsed_times()[0];
  CHECK(elapsed.milliseconds == doctest::Approx(5.03));
  REQUIRE(elapsed.covered.size() == 1);
  CHECK(elapsed.covered[0].name() == "spin");
}

TEST_CASE("what never ended reaches to the end of the run") {
  trace_builder made;
  made.kernel("spin", 1, 1, 2, 3, 40);
  made.run.operations[0].end = lab::trace::unfinished;
  made.call("cudaDeviceSynchronize", 1.1, 1.2, 41);
  made.run.calls[1].end = lab::trace::unfinished;
  made.clock_read(9, 50);
  const recording seen(made.run);
  CHECK_FALSE(seen.kernel("spin").ended());
  CHECK(seen.kernel("spin").milliseconds() == doctest::Approx(7));
  CHECK(seen.call("cudaDeviceSynchronize").milliseconds() == doctest::Approx(7.9));
}

TEST_CASE("durations read well") {
  CHECK(duration_text(5.02) == "5.02 ms");
  CHECK(duration_text(5) == "5 ms");
  CHECK(duration_text(0.006) == "6 µs");
  CHECK(duration_text(1500) == "1.5 s");
  CHECK(duration_text(0) == "0 ms");
  CHECK(milliseconds_text(0.006) == "0.006 ms");
  CHECK(milliseconds_text(0.00612) == "0.00612 ms");
  CHECK(milliseconds_text(152.34) == "152 ms");
  CHECK(milliseconds_text(44.041) == "44 ms");
  CHECK(milliseconds_text(44.16) == "44.2 ms");
  CHECK(milliseconds_text(-5.02) == "-5.02 ms");
  CHECK(milliseconds_text(std::nan("")) == "NaN ms");
  CHECK(milliseconds_text(12345678) == "12345678 ms");
}
