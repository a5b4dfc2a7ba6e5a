#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/delays.hpp"
#include "checks/check.hpp"
#include "situations.hpp"

/// What a timer did, and what it should have given.
namespace lab::checks::timing_pitfalls {

/// A call of a timer, and what the trace says of the run of the work that it should have timed: the last one.
struct timed_call {
  std::string timer;
  returned_run seen;
  std::vector<analysis::work> kernels;

  /// From the begin of the first kernel to the end of the last.
  analysis::span on_device() const { return {kernels.front().when().begin, kernels.back().when().end}; }
};

/// "cudaEventQuery (student.cu:80)"
inline std::string named(const analysis::call& made) {
  return made.name() + " (" + made.where() + ")";
}

/// From the first to the last CUDA call that the timer made.
inline analysis::span active(const timed_call& call) {
  const auto calls = call.seen.trace.calls_in(call.timer);
  if (calls.empty()) return {};
  return {calls.front().when().begin, calls.back().when().end};
}

/// "was given an event that cudaEventDestroy had destroyed"; empty where `made` was not.
inline std::string misuse_of_handle(const returned_run& seen, const analysis::call& made) {
  for (const auto& found : seen.trace.run().findings) {
    if (found.kind == trace::finding_kind::destroyed_handle && found.call == made.raw().id) {
      return found.message.substr(made.name().size() + 1);  // it begins with the call
    }
  }
  return "";
}

/// The call of the timer in which the host was blocked longest.
inline std::string longest_wait(const timed_call& call) {
  const auto calls = call.seen.trace.calls_in(call.timer);
  const auto longest = std::max_element(
      calls.begin(), calls.end(),
      [](const analysis::call& a, const analysis::call& b) { return a.blocked_ms() < b.blocked_ms(); });
  return longest == calls.end() ? "a wait of its own" : named(*longest);
}

/// Whether CUDA had an answer other than "not ready" and success.
inline bool failed(const analysis::call& made) {
  return made.failed() && made.raw().error != "cudaErrorNotReady";
}

/// Whether it is a call whose failure mostly means nothing for what comes after it.
inline bool gives_back(const analysis::call& made) {
  return made.name() == "cudaEventDestroy";
}

inline bool is_invalid_handle(const analysis::call& made) {
  return made.raw().error == "cudaErrorInvalidResourceHandle";
}

/// What a call that failed came to, behind its name: "answered cudaErrorInvalidValue", or which handle was
/// none.
inline std::string what_came_of(const returned_run& seen, const analysis::call& made) {
  const std::string misuse = misuse_of_handle(seen, made);
  return misuse.empty() ? "answered " + made.raw().error : misuse;
}

/// The timer's first call that failed, and how: "cudaEventRecord (student.cu:58), which answered ..."; empty
/// where none did.
inline std::string first_failure(const std::string& timer, const returned_run& seen) {
  const auto calls = seen.trace.calls_in(timer);
  for (const bool giving_back : {false, true}) {
    for (const auto& made : calls) {
      if (!failed(made) || gives_back(made) != giving_back) continue;
      return named(made) + ", which " + what_came_of(seen, made);
    }
  }
  return "";
}

/// Fails the check where the timer, in whichever thread, gave a call a handle that is none any more, or never
/// was one, whatever came of that.
inline void expect_good_handles(const std::string& timer, const returned_run& seen) {
  for (const auto& made : seen.trace.calls()) {
    if (analysis::student_frame(made.raw().stack) == nullptr) continue;
    const std::string misuse = misuse_of_handle(seen, made);
    if (!misuse.empty() && !gives_back(made)) {
      const bool of_stream = misuse.find("a stream") != std::string::npos;
      fail(timer + " called " + named(made) + ", which " + misuse,
           std::string("Look at how long ") + (of_stream ? "a stream" : "an event") +
               " lives: from its create to its destroy.");
    }
    const bool names_none = made.raw().event == 0;
    if (!gives_back(made) || (misuse.empty() && !names_none && !is_invalid_handle(made))) continue;
    fail(timer + " destroyed what is no event: " + named(made) + " " +
             (misuse.empty() ? "was given a handle that names none" : misuse),
         "Look at the handle that this call is given: an event is destroyed once, and only where it was "
         "created. Who calls cudaGetLastError next takes the error for his own.");
  }
}

/// Fails the check where the timer submitted anything to another stream than the one it was given, or
/// destroyed that one.
inline void expect_callers_stream(const std::string& timer, const returned_run& seen,
                                  trace::id callers_stream) {
  for (const auto& made : seen.trace.calls_in(timer)) {
    expect(made.name() != "cudaStreamDestroy" || made.raw().stream != callers_stream,
           timer + " destroyed the stream that it was given, in " + named(made) +
               "; that stream belongs to whoever called it, with work of others in it",
           look_at("who created the stream: it is destroyed there too"));
    if (made.raw().operation == 0 || made.name() != "cudaLaunchKernel") continue;
    const auto kernel = seen.trace.work_with_id(made.raw().operation);
    expect(kernel.stream() == callers_stream,
           timer + " submitted " + kernel.name() + " (" + kernel.where() +
               ") to another stream than the one it was given",
           look_at("the stream that each submit is called with"));
  }
}

/// Fails the check where the timer did not run its neighbour's work exactly once.
inline void expect_neighbour_once(const std::string& timer, const returned_run& seen) {
  const bool after = timer == "host_ms_after";
  if (!after && timer != "event_ms_before") return;
  const std::string neighbour = after ? "submit_previous" : "submit_next";
  const auto runs = seen.integer("neighbour_runs");
  const std::string failure = first_failure(timer, seen);
  expect(
      runs == 1,
      timer + (runs == 0 ? " did not call " + neighbour + (failure.empty() ? "" : ", because of " + failure)
                         : " called " + neighbour + " " + std::to_string(runs) +
                               " times; that work belongs to somebody else, who asked for one run"),
      look_at("what exercise.hpp says of " + neighbour));
}

/// Fails the check where the timer did not run the work, ran it more than once, or ran it in another stream.
inline timed_call time_work(const std::string& timer, const input_list& particular, int launches = 1) {
  input_list situation = particular;
  situation.push_back({"launches", launches});
  const returned_run seen = call_timer(timer, situation);
  const auto runs = seen.integer("runs");
  const std::string failure = first_failure(timer, seen);
  expect(runs > 0, timer + " did not submit the work" + (failure.empty() ? "" : ", because of " + failure));
  expect(runs == 1 || timer == "warm_ms",
         timer + " ran the work " + std::to_string(runs) +
             " times; it belongs to somebody else, who asked for one run",
         look_at("the calls of submit"));
  expect_neighbour_once(timer, seen);

  const auto all = seen.trace.kernels("the_work");
  const std::vector<analysis::work> kernels(all.end() - launches, all.end());
  const bool in_default = std::any_of(particular.begin(), particular.end(), [](const input& each) {
    const auto* kind = std::get_if<std::string>(&each.content);
    return each.name == "stream" && kind != nullptr && *kind == "default";
  });
  // The driver makes the caller's stream first.
  expect_callers_stream(timer, seen, in_default ? trace::legacy_stream : seen.trace.run().streams.front().id);
  return {timer, seen, kernels};
}

/// Fails the check where the previous work was not submitted before the timer's own.
inline void expect_previous_first(const timed_call& call) {
  const analysis::work previous = call.seen.trace.kernels("earlier_work").back();
  expect(previous.raw().submitted < call.kernels.front().raw().submitted,
         call.timer + " submitted the previous work (" + previous.where() +
             ") after the work that comes behind it",
         look_at("the order of the two submits"));
}

/// When the driver called the timer: it waits for the device before each call.
inline trace::time_ns called_at(const timed_call& call) {
  trace::time_ns called = 0;
  const auto in_timer = call.seen.trace.calls_in(call.timer);
  for (const auto& made : call.seen.trace.calls("cudaDeviceSynchronize")) {
    const bool by_timer = std::any_of(in_timer.begin(), in_timer.end(), [&](const analysis::call& other) {
      return other.raw().id == made.raw().id;
    });
    if (!by_timer && made.when().end <= call.on_device().begin) called = made.when().end;
  }
  return called;
}

/// The student's first sleep since the driver called the timer, if any.
inline const trace::host_pause* sleep_of(const timed_call& call) {
  const trace::time_ns called = called_at(call);
  for (const auto& pause : call.seen.trace.run().pauses) {
    const bool own = pause.begin >= called && analysis::made_by_student(pause.stack);
    if (pause.kind == trace::pause_kind::slept && own) return &pause;
  }
  return nullptr;
}

inline std::string sleep_text(const trace::host_pause& pause) {
  return analysis::milliseconds_text(analysis::span{pause.begin, pause.end}.milliseconds()) + " (" +
         analysis::place(pause.stack) + ")";
}

/// Fails the check where the timer waited for anything before the next work was queued, or queued it too late
/// for the device to go straight on with it.
inline void expect_next_queued_behind(const timed_call& call) {
  const analysis::work next = call.seen.trace.kernels("next_work").back();
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (!made.waits() || made.when().begin >= next.raw().submitted) continue;
    if (made.when().begin < call.kernels.back().raw().submitted) {
      fail(call.timer + " waited, in " + named(made) + ", before it had submitted anything",
           "Look at what exercise.hpp says of submit_next.");
    }
  }
  expect(next.raw().submitted < call.on_device().end &&
             next.raw().submitted > call.kernels.back().raw().submitted,
         call.timer + " submitted the next work (" + next.where() +
             ") too late: the device had ended the first and stood idle",
         look_at("what is queued before the first call that waits"), call.seen, active(call));
}

/// Fails the check where the timer slept before the next work was queued, also where the device had enough to
/// do meanwhile.
inline void expect_no_sleep_before_next(const timed_call& call) {
  const analysis::work next = call.seen.trace.kernels("next_work").back();
  const auto* slept = sleep_of(call);
  expect(slept == nullptr || slept->begin >= next.submitted_by().when().begin,
         call.timer + " slept for " + (slept == nullptr ? "" : sleep_text(*slept)) +
             " before it submitted the next work, which is to follow the first at once",
         look_at("what is queued before anything else is waited for"), call.seen, active(call));
}

/// What to look at where the timer came back late.
inline look_at what_held_up(const timed_call& call) {
  const auto* slept = sleep_of(call);
  return look_at(slept == nullptr ? "the call that waits, and what it waits for"
                                  : "the sleep of " + sleep_text(*slept));
}

/// What warm_ms should look at: where the first run of the work ended, and where the clock was read first.
inline std::string whether_first_run_is_over(const timed_call& call) {
  const auto first_run = call.seen.trace.kernels("first_run_only").back();
  const trace::time_ns called = called_at(call);
  for (const auto& read : call.seen.trace.run().clock_reads) {
    if (read.at < called) continue;
    if (first_run.when().end < read.at) break;
    return "the first clock read: first_run_only, which is part of the first run, ended " +
           analysis::milliseconds_text(analysis::span{read.at, first_run.when().end}.milliseconds()) +
           " after it";
  }
  return "what is done, and what is only queued, when the clock is read for the first time";
}

/// From the first launch, on a device that has nothing else to do before it, to the end of the work.
inline analysis::span asked_for(const timed_call& call) {
  return analysis::asked_for(call.seen.trace, call.kernels.front(), call.kernels.back());
}
/// How much of the time until the clock was stopped passed in calls that took unusually long: at least, and
/// at most, as it may have been stopped by any read that comes when the work is known to be done, and before
/// the next run of it.
struct lateness {
  double least_ms = 0, most_ms = 0;
};
inline lateness late(const timed_call& call) {
  const auto& trace = call.seen.trace;
  const analysis::work& last = call.kernels.back();
  trace::time_ns next_run = std::numeric_limits<trace::time_ns>::max();
  for (const auto& each : trace.kernels(last.name())) {
    if (each.raw().submitted > last.raw().submitted)
      next_run = std::min(next_run, each.submitted_by().when().begin);
  }
  const auto told = trace.told_done(last);
  std::optional<analysis::span> stopped;  // by one of the reads in it
  for (const auto& read : trace.run().clock_reads) {
    if (!told || read.at < *told || read.at > next_run) continue;
    if (!stopped) stopped = {read.at, read.at};
    stopped->end = read.at;
  }
  if (!stopped) return {};
  const trace::time_ns ended = last.when().end;
  return {late_ms(trace, {ended, stopped->begin}), late_ms(trace, {ended, stopped->end})};
}
inline range of_host_clock(const range& accepted, const timed_call& call) {
  const double expected_ms = asked_for(call).milliseconds() + late(call).least_ms;
  return accepted.spelt_out(
      analysis::milliseconds_text(expected_ms) + ", from the submission of the work to its end",
      call.kernels);
}

/// How long the timer was preempted between its start of the clock and its first launch.
inline double preempted_before_ms(const timed_call& call) {
  const trace::time_ns launched = call.kernels.front().submitted_by().when().begin;
  trace::time_ns started = launched;
  for (const auto& read : call.seen.trace.run().clock_reads) {
    if (read.at <= launched) started = read.at;
  }
  return analysis::preempted_ms(call.seen.trace, {started, launched});
}

/// What a right host clock gives. A machine that has other things to do may begin the work late, and take
/// long to say that it is done: before that no right clock is stopped.
inline range host_time(const timed_call& call) {
  const double asked_for_ms = asked_for(call).milliseconds();
  const double at_once_ms =
      call.kernels.front().submitted_by().milliseconds() + call.on_device().milliseconds();
  range accepted{within(3_percent).of(std::min(asked_for_ms, at_once_ms)).lowest,
                 within(3_percent, host_floor).of(asked_for_ms).highest,
                 "",
                 {}};
  accepted.lowest += late(call).least_ms;
  accepted.highest += late(call).most_ms + preempted_before_ms(call);
  return of_host_clock(accepted, call);
}

/// The timer's runs of the work but for the first, the last one first.
inline std::vector<timed_call> runs_behind_the_first(const timed_call& call) {
  std::vector<timed_call> found;
  const auto launches = static_cast<std::ptrdiff_t>(call.kernels.size());
  const auto all = call.seen.trace.kernels(call.kernels.front().name());
  auto end = all.end();
  for (auto runs = call.seen.integer("runs"); runs > 1 && end - all.begin() >= launches; --runs) {
    found.push_back({call.timer, call.seen, {end - launches, end}});
    end -= launches;
  }
  return found;
}

/// The same for one of the runs behind the first or, divided, for several: their submissions may hide behind
/// one another.
inline range host_time_of_one_of_several(const timed_call& call) {
  range accepted = host_time(call);
  accepted.lowest = within(3_percent).of(call.on_device().milliseconds()).lowest;
  for (const timed_call& each : runs_behind_the_first(call)) {
    accepted.lowest = std::min(accepted.lowest, within(3_percent).of(each.on_device().milliseconds()).lowest);
    accepted.highest = std::max(accepted.highest, host_time(each).highest);
  }
  return of_host_clock(accepted, call);
}

}  // namespace lab::checks::timing_pitfalls
