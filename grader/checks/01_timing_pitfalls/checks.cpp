#include <cmath>
#include <string>
#include <vector>

#include "checks/check.hpp"
#include "judge.hpp"

using namespace lab::checks;
using namespace lab::checks::timing_pitfalls;
using lab::analysis::milliseconds_text;
constexpr auto host_clock = lab::analysis::measurement_kind::host_clock;
constexpr auto event_pair = lab::analysis::measurement_kind::event_pair;

CHECKS_OF_TIMES;

namespace {

/// What the first prediction asks for is not shown before it is made.
void predict_first() {
  const auto seen = observe_answers("predictions", {{"kernel_ms", 80.0}});
  if (std::isnan(seen.any_number("predicted_host_ms").value()))
    postpone("what this check shows is what predicted_host_ms asks for: predict it first");
}

}  // namespace

CHECK_CASE("the prediction for a kernel of 80 ms is right", points(1)) {
  const auto seen = observe_answers("predictions", {{"kernel_ms", 80.0}});
  const double actual_ms = seen.number("after_nothing_ms");
  // Launches of real GPUs take from a few microseconds to many times that, when the machine has other things
  // to do.
  const double least_ms = seen.on_real_gpu() ? 0.001 : actual_ms / 5;
  expect_prediction(seen.any_number("predicted_host_ms"), between(least_ms, actual_ms * 5),
                    think_of("when a launch returns and when its kernel ends"));
}

CHECK_CASE("the prediction of the lucky call is right", points(1)) {
  const auto seen = observe_answers("predictions", {{"kernel_ms", 80.0}});
  const std::string chosen = seen.text("predicted_lucky_call");
  if (chosen == "?")
    fail("predicted_lucky_call holds no prediction yet", "Choose one, at the top of your file.");
  const double after_it_ms = seen.number("after_" + chosen + "_ms");
  expect(after_it_ms >= by_device(80, 70),
         "with " + chosen + " behind the kernel, host_ms as it stands in the starter gives " +
             milliseconds_text(after_it_ms) + ", not about 80 ms",
         look_at("which of these calls cannot return before the kernel is done"));
}

CHECK_CASE("host_ms gives the time from the submission to the end of the work", points(3)) {
  predict_first();
  const auto judge = [](const input_list& situation, int launches = 1) {
    const timed_call call = time_work("host_ms", situation, launches);
    expect_time(call, host_time(call), host_clock,
                look_at("what has happened, and what has not, where the clock is read"));
  };
  judge({{"kernel_ms", 80.0}, {"stream", "blocking"}});
  judge(crowded("host_ms"));
  judge({{"kernel_ms", 0.3}, {"pause_ms", 1.0}}, 3);
  judge({{"kernel_ms", 0.02}});
  judge({{"kernel_ms", 20.0}, {"stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"unrelated_ms", 200.0}, {"other_stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"called_before_ms", 2.0}});
  judge({{"kernel_ms", 7.0}, {"called_before_ms", 2.0}, {"failure_before", "rejected"}});
  const on_emulated_gpu with_patience;
  judge({{"kernel_ms", 2500.0}});
}

CHECK_CASE("host_ms_after leaves out the work before", points(2)) {
  const auto judge = [](const input_list& situation, int launches = 1) {
    const timed_call call = time_work("host_ms_after", situation, launches);
    expect_previous_first(call);
    expect_time(call, host_time(call), host_clock,
                look_at("what is still queued in the stream when the clock is read for the first time"));
  };
  judge(crowded("host_ms_after"));
  judge({{"kernel_ms", 80.0}, {"neighbour_ms", 70.0}, {"stream", "blocking"}});
  judge({{"kernel_ms", 0.02}, {"neighbour_ms", 0.3}}, 20);
  judge({{"kernel_ms", 0.02}, {"neighbour_ms", 0.3}});
  judge({{"kernel_ms", 20.0}, {"stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"unrelated_ms", 200.0}, {"other_stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"called_before_ms", 2.0}, {"failure_before", "rejected"}});
  const on_emulated_gpu with_patience;
  judge({{"kernel_ms", 2500.0}});
}

CHECK_CASE("event_ms gives the device's time for the work, whatever the stream", points(3)) {
  const auto judge = [](const input_list& situation, int launches = 1) {
    const timed_call call = time_work("event_ms", situation, launches);
    expect_time(call, between_events(call.seen.trace, call.kernels), event_pair,
                look_at("the stream of the two events, and their place among its work"));
  };
  judge(crowded("event_ms"));
  judge({{"kernel_ms", 5.0}, {"unrelated_ms", 200.0}, {"other_stream", "blocking"}});
  judge({{"kernel_ms", 80.0}, {"earlier_ms", 450.0}, {"stream", "blocking"}});
  judge({{"kernel_ms", 0.02}}, 20);
  judge({{"kernel_ms", 20.0}, {"stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"called_before_ms", 2.0}});
  judge({{"kernel_ms", 7.0}, {"called_before_ms", 2.0}, {"failure_before", "rejected"}});
  judge({{"kernel_ms", 0.02}});
  const on_emulated_gpu with_patience;
  judge({{"kernel_ms", 2500.0}});
}

CHECK_CASE("event_ms waits for its stop event and nothing else", points(2),
           needs("event_ms gives the device's time for the work, whatever the stream")) {
  const auto judge = [](const input_list& situation) {
    const timed_call call = time_work("event_ms", situation);
    expect(call.seen.integer("other_stream_is_busy") == 1,
           "event_ms came back only after unrelated_work, in another stream, had ended: it waited for more "
           "than its own work, longest in " +
               longest_wait(call),
           look_at("cudaEventSynchronize, which waits for one event"), call.seen, active(call));
  };
  judge(crowded("event_ms"));
  judge({{"unrelated_ms", 200.0}, {"other_stream", "default"}});
  judge({{"unrelated_ms", 200.0}, {"stream", "blocking"}});
}

CHECK_CASE("event_ms_before gives its time while the next work still runs", points(3)) {
  const auto judge = [](const input_list& situation, int launches = 1) {
    const timed_call call = time_work("event_ms_before", situation, launches);
    expect_time(call, between_events(call.seen.trace, call.kernels), event_pair,
                look_at("where the stop event lies, and which call waits for it"));
    return call;
  };
  const auto judge_return = [&](const input_list& situation) {
    const timed_call call = judge(situation);
    expect_next_queued_behind(call);
    expect(call.seen.integer("stream_is_busy") == 1,
           "event_ms_before came back only after next_work had ended, though its time was there long before",
           what_held_up(call), call.seen, active(call));
    return call;
  };
  judge_return(crowded("event_ms_before"));
  // A machine that has other things to do may take long to submit the next work, and to come back.
  judge_return({{"kernel_ms", 80.0}, {"neighbour_ms", by_device(5, 50)}, {"stream", "blocking"}});
  const timed_call call = judge_return({{"kernel_ms", by_device(7, 40)},
                                        {"neighbour_ms", by_device(1, 50)},
                                        {"unrelated_ms", 200.0},
                                        {"other_stream", "default"}});
  expect(call.seen.integer("other_stream_is_busy") == 1,
         "event_ms_before came back only after unrelated_work, in the default stream, had ended",
         what_held_up(call), call.seen, active(call));
  judge({{"kernel_ms", 0.02}, {"neighbour_ms", 5.0}}, 20);
  judge({{"kernel_ms", 0.02}, {"neighbour_ms", 5.0}});
  judge({{"kernel_ms", 20.0}, {"stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"called_before_ms", 2.0}, {"failure_before", "rejected"}});
  expect_no_sleep_before_next(call);
  const on_emulated_gpu with_patience;
  judge({{"kernel_ms", 2500.0}});
}

CHECK_CASE("warm_ms leaves out what only the first run pays", points(3)) {
  const auto judge = [](const input_list& situation, int launches = 1) {
    const timed_call call = time_work("warm_ms", situation, launches);
    expect_time(call, host_time_of_one_of_several(call), host_clock,
                look_at(whether_first_run_is_over(call)));
  };
  judge(crowded("warm_ms"));
  judge({{"kernel_ms", 80.0}, {"first_run_ms", 20.0}, {"stream", "blocking"}});
  judge({{"kernel_ms", 0.02}, {"first_run_ms", 0.5}}, 20);
  judge({{"kernel_ms", 0.02}, {"first_run_ms", 0.5}});
  judge({{"kernel_ms", 20.0}, {"first_run_ms", 20.0}, {"stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"first_run_ms", 20.0}, {"unrelated_ms", 200.0}, {"other_stream", "default"}});
  judge({{"kernel_ms", 7.0}, {"first_run_ms", 20.0}, {"called_before_ms", 2.0}});
  const on_emulated_gpu with_patience;
  judge({{"kernel_ms", 2500.0}, {"first_run_ms", 20.0}});
}

CHECK_CASE("work that failed gets no time", points(2)) {
  predict_first();
  std::string told;
  std::optional<returned_run> first;
  const auto tell = [&](const std::string& timer, const std::string& what, const returned_run& seen) {
    if (seen.integer("has_time") == 0) return;
    if (!first) first.emplace(seen);
    told += (told.empty() ? "" : "; ") + timer + " gave " +
            milliseconds_text(seen.any_number("reported_ms")) + " " + what + ": " +
            how_failure_was_missed(timer, seen);
  };
  for (const std::string timer : timers) {
    for (const int failing_run : {1, 2}) {
      const auto rejected = call_timer(timer, {{"failure", "rejected"}, {"failing_run", failing_run}});
      if (rejected.integer("runs") >= failing_run) {
        tell(timer, "for work whose launch was rejected", rejected);
      }
      const auto faulty = call_timer(timer, {{"failure", "fault"}, {"failing_run", failing_run}});
      if (faulty.integer("runs") >= failing_run) tell(timer, "for work that failed while it ran", faulty);
    }
  }
  for (const std::string timer : {"host_ms_after", "event_ms_before"}) {
    const auto neighbour = call_timer(timer, {{"neighbour_failure", "rejected"}});
    if (neighbour.integer("neighbour_runs") == 0) continue;
    tell(timer, "although the other work that it submits was rejected", neighbour);
  }
  if (first) about(*first);
  expect(
      told.empty(), told,
      look_at("each status that these timers are given, by submit and by CUDA; only after a success is there "
              "something to time"));
}

CHECK_CASE("every event is destroyed, also when the work failed", points(2)) {
  for (const char* timer : timers) {
    const auto judge = [timer](const input_list& situation) {
      const returned_run seen = call_timer(timer, situation);
      expect_no_leaks(seen);
      expect_good_handles(timer, seen);
    };
    judge(crowded(timer));
    judge({{"failure", "rejected"}});
    judge({{"failure", "fault"}});
    judge({{"neighbour_failure", "rejected"}});
    judge({{"called_before_ms", 2.0}});
    if (timer != std::string("warm_ms")) continue;
    judge({{"failure", "rejected"}, {"failing_run", 2}});
    judge({{"failure", "fault"}, {"failing_run", 2}});
  }
}
