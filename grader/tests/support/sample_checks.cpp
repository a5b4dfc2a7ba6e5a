#include <checks/check.hpp>

using namespace lab::checks;

// A checks program for the tests of the grader: each check comes to the outcome that its name says, with
// sample.cu.

CHECK_CASE("passes: the event timer reports the kernel's time", points(3)) {
  for (const double kernel_ms : {1.0, fresh("kernel_ms").between(4, 6)}) {
    const auto seen = observe("timed_with_events", {{"kernel_ms", kernel_ms}});
    expect(seen.number("reported_ms").from("time_with_events"),
           within(3_percent, event_floor).of(seen.trace.kernels("spin").back()));
    expect_no_leaks(seen);
    expect_no_findings(seen);
  }
}

CHECK_CASE("fails: the clock reports the kernel's time", points(2)) {
  const auto seen = observe("timed_without_wait", {{"kernel_ms", 5.0}});
  expect(seen.number("reported_ms").from("time_with_clock"),
         within(3_percent, host_floor).of(seen.trace.kernel("spin")), look_at("when the launch returns"));
}

CHECK_CASE("fails: a constant", points(1)) {
  expect(observe("constant").number("reported_ms"), between(1, 2));
}

CHECK_CASE("fails: the first of two runs", points(1)) {
  const auto first = observe("timed_with_events", {{"kernel_ms", 1.0}, {"leak", 1}});
  observe("timed_with_events", {{"kernel_ms", 2.0}});
  expect_no_leaks(first);
}

CHECK_CASE("fails: the first of two runs, in words alone", points(1)) {
  const auto first = observe("constant");
  observe("not_a_number");
  about(first);
  fail("it is constant");
}

CHECK_CASE("fails: NaN", points(1)) {
  expect(observe("not_a_number").number("reported_ms"), at_least(0));
}

CHECK_CASE("fails: a kernel that is not there", points(1)) {
  observe("constant").trace.kernel("spin");
}

CHECK_CASE("fails: a leak", points(1)) {
  expect_no_leaks(observe("timed_with_events", {{"kernel_ms", 1.0}, {"leak", 1}}));
}

CHECK_CASE("fails: wrong elements", points(1)) {
  expect(observe("squares").buffer<int>("squares"), equals<int>({0, 1, 4, 9, 16}));
}

CHECK_CASE("fails: a device fault", points(1)) {
  expect_no_findings(observe("faults"));
}

CHECK_CASE("fails: doctest's own assertions", points(1)) {
  const int one = 1;
  CHECK_MESSAGE(one == 2, "one is not two");
}

CHECK_CASE("fails: in the second subcase", points(1)) {
  SUBCASE("first") {}
  SUBCASE("second") {
    fail("here", "for this reason");
  }
}

CHECK_CASE("fails: two pieces of work that nothing orders", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "the first edge"}}));
}

CHECK_CASE("fails: a result that the host does not wait for", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "the last wait"}}));
}

CHECK_CASE("fails: a source that changes while it may be read", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "a promise"}}));
}

CHECK_CASE("fails: memory freed in use", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "the wait before the free"}}));
}

CHECK_CASE("fails: writes of the same value that nothing orders", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "an order of equals"}}));
}

CHECK_CASE("fails: an answer that nobody looks at", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "a look at the answer"}}));
}

CHECK_CASE("passes: all is ordered", points(1)) {
  expect_no_hazards(observe("unordered", {{"missing", "a wait, but it asks"}}));
  expect_no_hazards(observe("unordered", {{"missing", "patience"}}));  // and says so
  expect_no_hazards(observe("unordered", {{"missing", "nothing"}}));
}

CHECK_CASE("fails: a wrong prediction", points(1)) {
  expect_prediction(observe_answers("predictions").number("made_ms"), at_most(1), think_of("what is made"));
}

CHECK_CASE("fails: a wrong prediction, with a picture", points(1)) {
  const auto seen = observe_answers("predictions");
  expect(seen.text("choice") == "a", "it is b", look_at("the answer"), seen);
}

CHECK_CASE("fails: no prediction", points(1)) {
  expect_prediction(observe_answers("predictions").any_number("not_made_ms"), at_most(1),
                    think_of("what is made"));
}

CHECK_CASE("passes: a right prediction", points(1)) {
  expect_prediction(observe_answers("predictions").number("made_ms"), at_least(50), think_of("what is made"));
  expect_prediction(observe_answers("predictions").text("choice"), "b");
}

// Only where a run on a real GPU is judged too.
CHECK_CASE("passes: what goes wrong on a real GPU alone", points(1)) {
  if (!judging_on_gpu()) return;
  observe("constant");
  fail("it went wrong", "Look at it.");
}

CHECK_CASE("passes: what goes wrong on the emulated GPU while a real GPU is judged", points(1)) {
  if (!judging_on_gpu()) return;
  const on_emulated_gpu with_patience;
  observe("constant");
  expect(judging_on_gpu(), "the emulated GPU ran it", look_at("it"));
}

CHECK_CASE("passes: what goes wrong once", points(1)) {
  if (!judging_on_gpu()) return;
  static int judged = 0;
  observe("constant");
  expect(++judged > 1, "the machine was busy with something else");
}

CHECK_CASE("passes: what goes wrong once in the first of two runs", points(1)) {
  if (!judging_on_gpu()) return;
  static std::int64_t process_before = 0;
  const auto first = observe("process");
  observe("constant");
  about(first);
  const auto process = first.integer("process");
  const bool again = process_before != 0 && process != process_before;
  process_before = process;
  expect(again, "the first process did not do it");
}

CHECK_CASE("error: exit(0)", points(1)) {
  expect(observe("exits").number("reported_ms"), exactly(5));
}

CHECK_CASE("error: a crash", points(1)) {
  expect(observe("crashes").number("reported_ms"), exactly(5));
}

CHECK_CASE("error: a crash behind a reset", points(1)) {
  observe("crashes_behind_a_reset");
}

CHECK_CASE("error: an exception", points(1)) {
  observe("throws");
}

CHECK_CASE("error: a deadlock", points(1)) {
  expect(observe("deadlocks").number("reported_ms"), exactly(5));
}

CHECK_CASE("error: the driver has no such scenario", points(1)) {
  observe("missing");
}

CHECK_CASE("error: the driver has no such value", points(1)) {
  observe("constant").number("missing");
}

CHECK_CASE("error: the check itself is wrong", points(1)) {
  throw 5;
}

CHECK_CASE("not run: needs what failed", points(1), needs("fails: a constant")) {
  fail("never");
}

CHECK_CASE("not run: needs what was not run", points(1), needs("not run: needs what failed")) {
  fail("never");
}

CHECK_CASE("passes: needs what passed", points(2), needs("passes: a right prediction")) {}
