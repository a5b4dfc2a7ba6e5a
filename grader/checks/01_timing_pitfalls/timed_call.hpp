#pragma once

#include <string>
#include <vector>

#include "checks/check.hpp"
#include "situations.hpp"

/// What a timer did, and what it should have given.
namespace lab::checks::timing_pitfalls {

/// A call of a timer, and what the trace says of the run of the work that it should have timed: the last one.
struct timed_call {
  std::string timer;
  returned_run seen;
  std::vector<analysis::work> kernels;
  analysis::span on_device;  ///< from the begin of the first kernel to the end of the last
};

/// From the first to the last CUDA call that the timer made.
inline analysis::span active(const timed_call& call) {
  const auto calls = call.seen.trace.calls_in(call.timer);
  if (calls.empty()) return {};
  return {calls.front().when().begin, calls.back().when().end};
}

/// Fails the check where the timer submitted anything to another stream than the one it was given.
inline void expect_callers_stream(const std::string& timer, const returned_run& seen) {
  const trace::id callers_stream = seen.trace.run().streams.front().id;  // the driver's first
  for (const auto& made : seen.trace.calls_in(timer)) {
    if (made.raw().operation == 0 || made.name() != "cudaLaunchKernel") continue;
    const auto kernel = seen.trace.work_with_id(made.raw().operation);
    expect(kernel.stream() == callers_stream,
           timer + " submitted " + kernel.name() + " (" + kernel.where() +
               ") to another stream than the one it was given",
           look_at("the stream that each submit is called with"));
  }
}

/// Fails the check where the timer did not run the work, ran it more than once, or ran it in another stream.
inline timed_call time_work(const std::string& timer, const input_list& particular, int launches = 1) {
  input_list situation = particular;
  situation.push_back({"launches", launches});
  const returned_run seen = call_timer(timer, situation);
  const auto runs = seen.integer("runs");
  if (runs == 0) fail(timer + " did not submit the work");
  expect(runs == 1 || timer == "warm_ms",
         timer + " ran the work " + std::to_string(runs) +
             " times; it belongs to somebody else, who asked for one run",
         look_at("the calls of submit"));

  const auto all = seen.trace.kernels("the_work");
  const std::vector<analysis::work> kernels(all.end() - launches, all.end());
  expect_callers_stream(timer, seen);
  return {timer, seen, kernels, {kernels.front().when().begin, kernels.back().when().end}};
}

/// Fails the check where the next work was handed over too late for the device to go straight on with it.
inline void expect_next_queued_behind(const timed_call& call) {
  const auto all = call.seen.trace.kernels("next_work");
  if (all.size() < 2) fail(call.timer + " did not submit the next work");  // the first one only loaded it
  const analysis::work& next = all.back();
  expect(
      next.raw().submitted < call.on_device.end && next.raw().submitted > call.kernels.back().raw().submitted,
      call.timer + " submitted the next work (" + next.where() +
          ") too late: the device had ended the first and stood idle",
      look_at("what is queued before the first call that waits"), call.seen, active(call));
}

/// What warm_ms should look at: where the first run of the work ended, and where the clock was read first.
inline std::string whether_first_run_is_over(const timed_call& call) {
  const auto first_run = call.seen.trace.kernels("first_run_only").back();
  const auto& reads = call.seen.trace.run().clock_reads;
  if (reads.empty() || first_run.when().end < reads.front().at) {
    return "what is done, and what is only queued, when the clock is read for the first time";
  }
  return "the first clock read: first_run_only, which is part of the first run, ended " +
         analysis::milliseconds_text(analysis::span{reads.front().at, first_run.when().end}.milliseconds()) +
         " after it";
}

/// `accepted`, which says in words what it is.
inline range spelt_out(range accepted, const std::string& what, const timed_call& call) {
  accepted.description = what + " (accepted: " + analysis::milliseconds_text(accepted.lowest) + " to " +
                         analysis::milliseconds_text(accepted.highest) + ")";
  accepted.subject = call.kernels.front();
  return accepted;
}

/// What a right pair of events gives.
inline range device_time(const timed_call& call) {
  const double expected_ms = call.on_device.milliseconds();
  return spelt_out(within(3_percent, event_floor).of(expected_ms),
                   analysis::milliseconds_text(expected_ms) + ", which the device took for the work", call);
}

/// What a right host clock gives: the first launch, and the work on a device that has nothing else to do
/// before it.
inline range host_time(const timed_call& call) {
  const double expected_ms =
      call.kernels.front().submitted_by().milliseconds() + call.on_device.milliseconds();
  return spelt_out(within(3_percent, host_floor).of(expected_ms),
                   analysis::milliseconds_text(expected_ms) + ", from the submission of the work to its end",
                   call);
}

/// The same for one run or, divided, for several: their submissions may hide behind one another.
inline range host_time_of_one_of_several(const timed_call& call) {
  range accepted = host_time(call);
  accepted.lowest = within(3_percent).of(call.on_device.milliseconds()).lowest;
  return accepted;
}

}  // namespace lab::checks::timing_pitfalls
