#include <doctest/doctest.h>

#include <analysis/explanation.hpp>
#include <chrono>
#include <cmath>
#include <string>

#include "support/trace_builder.hpp"

using namespace lab::analysis;

namespace {

struct told : explanation {
  explicit told(explanation from) : explanation(std::move(from)) {}
  bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

told explain(const recording& of, double reported_ms, const char* subject = nullptr) {
  std::vector<work> what;
  if (subject != nullptr) what = of.kernels(subject);
  told result(explain_measurement(of, reported_ms, what));
  MESSAGE(result.text);
  return result;
}

// The clock is read, the kernel launched, the clock is read again; the wait comes after that.
recording unwaited_launch() {
  trace_builder made;
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 10.02, 15.04, 42);
  made.clock_read(10.006, 43);
  made.call("cudaStreamSynchronize", 10.01, 15.05, 44, 5.03);
  return recording(made.run);
}

// The clock is read around the launch and the wait: 5.0612 ms.
recording waited_launch() {
  trace_builder made;
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 10.02, 15.04, 42);
  made.call("cudaStreamSynchronize", 10.01, 15.05, 43, 5.03);
  made.clock_read(15.0612, 44);
  return recording(made.run);
}

}  // namespace

TEST_CASE("a clock stopped before the kernel began measured the submission") {
  const recording seen = unwaited_launch();
  const auto why = explain(seen, 0.006, "spin");
  CHECK(why.kind == measurement_kind::host_clock);
  CHECK(why.factor == 1);
  REQUIRE(why.segment);
  CHECK(why.segment->begin == trace_builder::ns(10));
  CHECK(why.segment->end == trace_builder::ns(10.006));
  CHECK(why.says("0.006 ms"));
  CHECK(why.says("student.cu:41"));
  CHECK(why.says("student.cu:43"));
  CHECK(why.says("0.006 ms is how long it took to submit the work"));
  CHECK(why.says("spin, 5.02 ms, had not begun"));
}

TEST_CASE("a clock stopped while the kernel ran is told from one stopped before it began") {
  trace_builder made;
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 10.002, 15.022, 42);
  made.clock_read(10.006, 43);
  const recording seen(made.run);
  CHECK(explain(seen, 0.006, "spin").says("spin, 5.02 ms, was still running"));
}

TEST_CASE("slips of unit and sign are named") {
  const recording seen = unwaited_launch();
  CHECK(explain(seen, 6.0, "spin").says("microseconds, not milliseconds"));
  CHECK(explain(seen, 0.006e-3, "spin").says("seconds, not milliseconds"));
  CHECK(explain(seen, 6000.0, "spin").says("nanoseconds, not milliseconds"));
  CHECK(explain(seen, -0.006, "spin").says("sign is turned"));
  CHECK(explain(seen, 6.0, "spin").factor == 1e3);
}

TEST_CASE("a float and whole microseconds are still recognised") {
  trace_builder made;
  made.clock_read(10.0000011, 41);
  made.kernel("spin", 1, 10.001, 10.02, 15.04, 42);
  made.clock_read(15.0612345, 43);
  const recording seen(made.run);
  CHECK(explain(seen, static_cast<double>(static_cast<float>(5.0612334)), "spin").kind ==
        measurement_kind::host_clock);
  CHECK(explain(seen, 5.061, "spin").kind == measurement_kind::host_clock);
  CHECK(explain(seen, 5.071, "spin").kind == measurement_kind::unrelated);
}

TEST_CASE("a mean, a sum and a rounded number are told from the time they were made from") {
  const recording seen = waited_launch();
  const auto mean = explain(seen, 5.0612 / 10, "spin");
  CHECK(mean.says("5.06 ms passed between the two clock reads"));
  CHECK(mean.says("The number is that divided by 10"));
  CHECK(mean.cause == "what the time is divided by or multiplied with");
  CHECK(explain(seen, 5.0612 * 3, "spin").says("The number is that times 3"));
  CHECK(explain(seen, 5, "spin").says("without what stands behind the point"));
  CHECK(explain(seen, 6, "spin").kind == measurement_kind::unrelated);
  CHECK(explain(seen, 4, "spin").kind == measurement_kind::unrelated);

  trace_builder made;
  const auto start = made.record(1, 9, 10, 41);
  made.kernel("spin", 1, 9.1, 10.01, 15.03, 42);
  const auto stop = made.record(1, 9.2, 15.04, 43);
  const double ms = made.elapsed(start, stop, 16, 45);
  const recording of_events(made.run);
  CHECK(explain(of_events, ms / 20, "spin").says("The number is that divided by 20"));
  CHECK(explain(of_events, 5, "spin").says("without what stands behind the point"));
}

TEST_CASE("an elapsed time of an event and itself, and the difference of two from one base, are told") {
  trace_builder made;
  const auto base = made.record(1, 9, 10, 41);
  made.kernel("earlier", 1, 9.05, 10.01, 20.01, 42);
  const auto start = made.record(1, 9.1, 20.02, 43);
  made.kernel("spin", 1, 9.15, 20.03, 25.05, 44);
  const auto stop = made.record(1, 9.2, 25.06, 45);
  const double to_start = made.elapsed(base, start, 26, 46), to_stop = made.elapsed(base, stop, 26, 47);
  const auto difference = explain(recording(made.run), to_stop - to_start, "spin");
  CHECK(difference.kind == measurement_kind::event_pair);
  CHECK(difference.says("5.04 ms lie between the two records, at student.cu:43 and student.cu:45"));
  made.elapsed(start, start, 27, 48);
  CHECK(explain(recording(made.run), 0, "spin").says("(student.cu:48) gave 0 ms: its start and its stop"));
}

TEST_CASE("an earlier run is told from the one to be timed") {
  trace_builder made;
  made.clock_read(1, 41);
  made.kernel("spin", 1, 1.001, 1.01, 6.03, 42);
  made.call("cudaStreamSynchronize", 1.02, 6.04, 43, 5);
  made.clock_read(6.05, 44);
  made.kernel("spin", 1, 7, 7.01, 9.01, 45);
  lab::trace::run run = made.run;
  const recording seen(run);
  told why(explain_measurement(seen, 5.05, {seen.kernels("spin").back()}));
  CHECK(why.says("that is an earlier run; the one to be timed was launched (student.cu:45) after it"));
}

TEST_CASE("a clock that did not tick in between is named, whatever it showed") {
  trace_builder made;
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 10.02, 15.04, 42);
  made.clock_read(15.0612, 43);
  for (auto& read : made.run.clock_reads) read.value -= read.value % trace_builder::ns(8);
  const auto none = explain(recording(made.run), 0, "spin");
  CHECK(none.says("5.06 ms passed between the two clock reads"));
  CHECK(none.says("it showed 0 ms"));
  CHECK(none.cause == "which clock it is that is read");
  made.run.clock_reads.back().value += trace_builder::ns(8);
  CHECK(explain(recording(made.run), 8, "spin").says("it showed 8 ms"));
}

TEST_CASE("work that was queued before the clock was started is told, with its time") {
  trace_builder made;
  made.kernel("earlier", 1, 9, 9.01, 49.01, 30);
  made.clock_read(10, 41);
  made.kernel("spin", 1, 10.001, 49.01, 54.03, 42);
  made.call("cudaStreamSynchronize", 10.01, 54.04, 43, 44);
  made.clock_read(54.041, 44);
  const auto why = explain(recording(made.run), 44.041, "spin");
  CHECK(why.says("Of that, spin took 5.02 ms"));
  CHECK(why.says(
      "39 ms of work that was queued before the clock was started (student.cu:41): earlier (40 ms)"));
}

TEST_CASE("the cost of the first use is told") {
  trace_builder made;
  made.clock_read(0.5, 41);
  made.call("cudaMalloc", 0.6, 152.6, 42);
  made.kernel("spin", 1, 152.7, 152.71, 157.73, 43);
  made.call("cudaDeviceSynchronize", 152.71, 157.74, 44, 5.03);
  made.clock_read(157.741, 45);
  const auto why = explain(recording(made.run), 157.241, "spin");
  CHECK(why.says("152 ms in cudaMalloc (student.cu:42), where the first call of all creates the context"));
}

TEST_CASE("a sleep, a wait for other work, a clock started late: each is told") {
  trace_builder made;
  made.clock_read(1, 41);
  made.kernel("spin", 1, 1.001, 1.01, 6.03, 42);
  made.run.pauses.push_back({0, lab::trace::pause_kind::slept, trace_builder::ns(1.01),
                             trace_builder::ns(101.01), trace_builder::stack(43)});
  made.clock_read(101.02, 44);
  CHECK(explain(recording(made.run), 100.02, "spin").says("a sleep of 100 ms (student.cu:43)"));

  made.run.pauses = {};
  for (const double begin : {6.04, 50.0}) {
    made.run.pauses.push_back({0, lab::trace::pause_kind::slept, trace_builder::ns(begin),
                               trace_builder::ns(begin + 40), trace_builder::stack(43)});
  }
  CHECK(explain(recording(made.run), 100.02, "spin").says("2 sleeps, 80 ms together (student.cu:43)"));

  made.run.pauses = {
      {0, lab::trace::pause_kind::preempted, trace_builder::ns(50), trace_builder::ns(80), {}}};
  CHECK(explain(recording(made.run), 100.02, "spin")
            .says("It includes 30 ms in which other programs had the processor and 70 ms in the program's "
                  "own code"));

  made.run.pauses = {{0, lab::trace::pause_kind::waited_for_thread, trace_builder::ns(50),
                      trace_builder::ns(80), trace_builder::stack(43)}};
  CHECK(explain(recording(made.run), 100.02, "spin")
            .says("a wait of 30 ms for another thread (student.cu:43)"));

  trace_builder waited;
  waited.clock_read(1, 41);
  waited.kernel("spin", 1, 1.001, 1.01, 6.03, 42);
  waited.kernel("other", 2, 0.5, 0.6, 80.6, 30);
  waited.call("cudaDeviceSynchronize", 1.01, 80.61, 43, 79.6);
  waited.clock_read(80.62, 44);
  CHECK(explain(recording(waited.run), 79.62, "spin").says("waiting for other work: other (80 ms)"));

  trace_builder late;
  late.kernel("spin", 1, 1.001, 1.01, 6.03, 42);
  late.clock_read(2, 43);
  late.clock_read(6.04, 44);
  CHECK(explain(recording(late.run), 4.04, "spin").says("at the first one spin was already running"));
}

TEST_CASE("a processor-time clock is named as such") {
  trace_builder made;
  made.clock_read(1, 41, lab::trace::clock_kind::cpu_time);
  made.kernel("spin", 1, 1.001, 1.01, 6.03, 42);
  made.clock_read(1.5, 43, lab::trace::clock_kind::cpu_time);
  CHECK(explain(recording(made.run), 0.5, "spin").says("the time that the CPU worked"));
}

TEST_CASE("events on another stream measured nothing of the kernel") {
  trace_builder made;
  const auto start = made.record(0, 1, 1.01, 41);
  made.kernel("spin", 1, 1.002, 1.02, 6.04, 42);
  const auto stop = made.record(0, 1.01, 1.03, 43);
  const double ms = made.elapsed(start, stop, 7, 45);
  const auto why = explain(recording(made.run), ms, "spin");
  CHECK(why.kind == measurement_kind::event_pair);
  CHECK(why.says("recorded on the legacy default stream (student.cu:41)"));
  CHECK(why.says("spin ran on stream 1 (student.cu:42): no work lay between them"));
}

TEST_CASE("a stop recorded before the launch, a start after it, and swapped events are told") {
  trace_builder early;
  const auto first = early.record(1, 1, 1.01, 41);
  const auto second = early.record(1, 1.002, 1.012, 42);
  early.kernel("spin", 1, 1.005, 1.02, 6.04, 43);
  const double ms = early.elapsed(first, second, 7, 45);
  CHECK(explain(recording(early.run), ms, "spin")
            .says("recorded (student.cu:42) before spin was launched (student.cu:43)"));

  trace_builder late;
  late.kernel("spin", 1, 1.005, 1.02, 6.04, 41);
  const auto start = late.record(1, 1.01, 6.04, 42);
  const auto stop = late.record(1, 1.012, 6.045, 43);
  const double late_ms = late.elapsed(start, stop, 7, 45);
  CHECK(explain(recording(late.run), late_ms, "spin")
            .says("recorded (student.cu:42) after spin had been launched (student.cu:41)"));

  trace_builder swapped;
  const auto a = swapped.record(1, 1, 1.01, 41);
  swapped.kernel("spin", 1, 1.002, 1.02, 6.04, 42);
  const auto b = swapped.record(1, 1.01, 6.04, 43);
  const double negative = swapped.elapsed(b, a, 7, 45);
  CHECK(negative < 0);
  CHECK(explain(recording(swapped.run), negative, "spin").says("in the wrong order"));
}

TEST_CASE("other work between the records is told") {
  trace_builder made;
  const auto start = made.record(1, 1, 1.01, 41);
  made.kernel("warm", 1, 1.002, 1.02, 41.02, 42);
  made.kernel("spin", 1, 1.01, 41.03, 46.05, 43);
  const auto stop = made.record(1, 1.02, 46.05, 44);
  const double ms = made.elapsed(start, stop, 50, 46);
  CHECK(explain(recording(made.run), ms, "spin").says("also did other work: warm (40 ms)"));
}

TEST_CASE("an elapsed time in seconds or microseconds is recognised") {
  trace_builder made;
  const auto start = made.record(1, 1, 1.01, 41);
  made.kernel("spin", 1, 1.002, 1.02, 6.04, 42);
  const auto stop = made.record(1, 1.01, 6.04, 43);
  const double ms = made.elapsed(start, stop, 7, 45);
  const recording seen(made.run);
  CHECK(explain(seen, ms / 1e3, "spin").says("seconds, not milliseconds"));
  CHECK(explain(seen, ms * 1e3, "spin").says("microseconds, not milliseconds"));
}

TEST_CASE("a number that nothing measured is said to be one, and a failed elapsed time is named") {
  trace_builder made;
  made.kernel("spin", 1, 1.002, 1.02, 6.04, 42);
  auto& failed = made.run.calls[made.call("cudaEventElapsedTime", 2, 2.001, 45) - 1];
  failed.status = 600;
  const auto why = explain(recording(made.run), 5.0, "spin");
  CHECK(why.kind == measurement_kind::unrelated);
  CHECK_FALSE(why.segment);
  CHECK(why.says("measured nothing"));
  CHECK(why.says("cudaEventElapsedTime failed (student.cu:45)"));
}

TEST_CASE("numbers that are none, and traces that hold nothing, are survived") {
  const recording nothing{lab::trace::run{}};
  for (const double number : {0.0, -0.0, std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300, 5e-324}) {
    CHECK(explain(nothing, number).kind == measurement_kind::unrelated);
    CHECK(explain(unwaited_launch(), number).kind == measurement_kind::unrelated);
  }
}

TEST_CASE("without a subject the work that the stretch submitted is taken") {
  CHECK(explain(unwaited_launch(), 0.006).says("spin, 5.02 ms, had not begun"));
}

TEST_CASE("several launches of one kernel are taken together") {
  trace_builder made;
  made.clock_read(1, 41);
  for (int i = 0; i < 20; ++i) made.kernel("tiny", 1, 1.01 + i * 0.005, 1.02 + i * 0.02, 1.04 + i * 0.02, 42);
  made.clock_read(1.2, 43);
  const double end_ms = 1.5;
  made.call("cudaStreamSynchronize", 1.2, end_ms, 44, 0.3);
  made.clock_read(end_ms, 45);
  const recording seen(made.run);
  CHECK(explain(seen, 0.2).says("while 20 times tiny, 0.4 ms together, was still running"));
  CHECK(explain(seen, 0.5).says("Of that, the 20 runs of tiny took 0.4 ms"));
}

TEST_CASE("a hundred thousand clock reads are searched in no time") {
  trace_builder made;
  for (int i = 0; i < 100'000; ++i) made.clock_read(i * 0.001, 41);
  const recording seen(made.run);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(explain_measurement(seen, 99.9995).kind == measurement_kind::unrelated);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
}
