#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/explanation.hpp"
#include "analysis/measurement.hpp"
#include "checks/check.hpp"
#include "several_runs.hpp"
#include "timed_call.hpp"

/// Judges the time that a timer gave, and finds in the trace what a wrong one came from.
namespace lab::checks::timing_pitfalls {

inline bool is_not_ready(const analysis::call& made) {
  return made.raw().error == "cudaErrorNotReady";
}
inline bool asks(const analysis::call& made) {
  return made.waits() || made.name().find("Query") != std::string::npos || is_not_ready(made);
}

/// Which of the two events of an elapsed time that was "not ready" the device had not got to.
inline std::string pending_event(const timed_call& call, const analysis::call& elapsed) {
  const auto pending = [&](trace::id record) {
    const auto work = call.seen.trace.work_with_id(record);
    return !work.ended() || work.when().end > elapsed.when().begin;
  };
  if (pending(elapsed.raw().start_record)) return "start";
  return "stop";
}

/// What the timer's last wait for an event before `elapsed` waited for: "; cudaEventSynchronize
/// (student.cu:80) waited for ..."
inline std::string last_event_wait(const timed_call& call, const analysis::call& elapsed) {
  std::string text;
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (made.name() != "cudaEventSynchronize" || made.when().begin > elapsed.when().begin) continue;
    const bool for_start = made.raw().event == elapsed.raw().event;
    const std::string event = std::string("the ") + (for_start ? "start" : "stop") + " event";
    const trace::id record = for_start ? elapsed.raw().start_record : elapsed.raw().stop_record;
    text = "; " + named(made) +
           (made.raw().operation == record ? " waited for " + event
                                           : " returned at once: " + event + " was recorded only after it");
  }
  return text;
}

/// Why an elapsed time has an event that holds no time.
inline std::string timeless_event(const timed_call& call, const analysis::call& elapsed) {
  const auto& trace = call.seen.trace;
  for (const bool start : {true, false}) {
    const std::string event = std::string("its ") + (start ? "start" : "stop") + " event ";
    const trace::id number = start ? elapsed.raw().event : elapsed.raw().stop_event;
    if (number == 0 || number > trace.run().events.size()) continue;
    const auto& made = trace.run().events[number - 1];
    const std::string created = trace.call_with_id(made.created_by).where();
    if (!made.timing) {
      return event + "was created without timing" + (created.empty() ? "" : " (" + created + ")");
    }
    const auto records = trace.records();
    const bool recorded = std::any_of(records.begin(), records.end(), [&](const analysis::work& each) {
      return each.raw().event == number && each.raw().submitted <= elapsed.when().begin;
    });
    if (!recorded) return event + "was never recorded";
  }
  return "one of its events is none";
}

/// Why the timer gave no time: its first call that failed or was not answered; empty where none was.
inline std::string why_no_time(const timed_call& call) {
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (!made.failed() || gives_back(made)) continue;
    const bool elapsed = made.name() == "cudaEventElapsedTime";
    if (is_not_ready(made)) {
      return named(made) + ", which answered cudaErrorNotReady: the device had not got " +
             (elapsed ? "to its " + pending_event(call, made) + " event" : "that far") +
             ", and this call does not wait" + (elapsed ? last_event_wait(call, made) : "");
    }
    if (elapsed && made.raw().error == "cudaErrorInvalidResourceHandle" &&
        misuse_of_handle(call.seen, made).empty()) {
      return named(made) + ", which answered cudaErrorInvalidResourceHandle: " + timeless_event(call, made);
    }
    break;
  }
  return first_failure(call.timer, call.seen);
}

/// "host_ms slept for 1 ms (student.cu:33)", or that it let time pass in another way.
inline std::string idled(const timed_call& call) {
  const auto* slept = sleep_of(call);
  return call.timer + (slept == nullptr ? " only let time pass" : " slept for " + sleep_text(*slept));
}

/// For how many milliseconds after the last launch the timer was in none of its CUDA calls, up to the last of
/// them, without being preempted.
inline double let_pass_ms(const timed_call& call) {
  const trace::time_ns launched = call.kernels.back().submitted_by().when().end;
  trace::time_ns until = launched;
  double passed = 0;
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (made.when().begin > until) passed += analysis::span{until, made.when().begin}.milliseconds();
    until = std::max(until, made.when().end);
  }
  return passed - analysis::preempted_ms(call.seen.trace, {launched, until});  // which is between calls
}

/// Fails the check where the timer let time pass and never asked CUDA, after the submission, how far the
/// device had got.
inline void expect_asked(const timed_call& call, analysis::measurement_kind clock) {
  const bool by_events = clock == analysis::measurement_kind::event_pair;
  // Work may be done before it is asked for: a short piece, or where the calls before took long.
  const bool let_pass = by_events && let_pass_ms(call) > call.on_device().milliseconds() / 2;
  if (sleep_of(call) == nullptr && !let_pass) return;
  const auto submitted = call.kernels.back().submitted_by().when().end;
  const auto calls = call.seen.trace.calls();  // another thread of the timer's may have asked
  const bool asked = std::any_of(calls.begin(), calls.end(), [submitted](const analysis::call& made) {
    return asks(made) && made.when().begin >= submitted && !made.where().empty();
  });
  expect(asked,
         idled(call) +
             " and never asked whether the work was done; however long that is, the GPU may take longer",
         look_at("a call that waits for the work itself"), call.seen,
         analysis::span{call.on_device().begin, std::max(call.on_device().end, active(call).end)});
}

/// Fails the check where a host clock was started, or stopped, at a moment when nobody had asked whether the
/// work before it was done.
inline void expect_known_done(const timed_call& call, const analysis::span& measured) {
  const auto& trace = call.seen.trace;
  const auto expect_told = [&](trace::time_ns by, const std::string& what, bool own_work) {
    std::optional<analysis::work> last;
    for (const auto& each : trace.work_on(call.kernels.front().stream())) {
      if (each.raw().kind == trace::operation_kind::host_function || each.raw().submitted >= by) continue;
      if (own_work || each.name() != call.kernels.front().name()) last = each;
    }
    if (!last) return;
    const auto told = trace.told_done(*last);
    expect(told && *told <= by,
           idled(call) + " before it " + what + " the clock, and never asked whether " + last->name() + " (" +
               analysis::milliseconds_text(last->milliseconds()) +
               ") was done by then; however long that is, the GPU may take longer",
           look_at("a call that waits for the work itself"), call.seen, measured);
  };
  expect_told(measured.begin, "started", false);
  expect_told(measured.end, "stopped", true);
}

/// The call that had a host function say, too early, that the work is done; empty where there is none.
inline std::string early_host_function(const timed_call& call) {
  const auto& trace = call.seen.trace;
  const trace::id stream = call.kernels.front().stream();
  for (const auto& made : trace.calls_in(call.timer)) {
    if (made.name() != "cudaLaunchHostFunc" || made.raw().operation == 0 || *made.raw().stream == stream)
      continue;
    const auto ran = trace.work_with_id(made.raw().operation).when();
    if (ran.begin + trace.clocks_apart() >= call.on_device().end) continue;
    return named(made) + ", whose function ran while the work did: it is in " +
           analysis::stream_text(trace, *made.raw().stream) + "; the work is in " +
           analysis::stream_text(trace, stream);
  }
  return "";
}

/// What in the trace a wrong time comes from, where that is more than the stretch that was measured.
inline std::string cause_of_wrong_time(const timed_call& call, analysis::measurement_kind clock) {
  const bool by_host_clock = clock == analysis::measurement_kind::host_clock;
  if (const std::string early = early_host_function(call); !early.empty()) return early;
  if (const auto* slept = sleep_of(call)) {
    return "the sleep of " + sleep_text(*slept) + ", which ends when its time is up, whatever the GPU does";
  }
  const auto& reads = call.seen.trace.run().clock_reads;
  const auto elapsed = call.seen.trace.calls("cudaEventElapsedTime");
  if (!elapsed.empty() && elapsed.back().failed()) return why_no_time(call);
  std::string cause;
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (made.name() == "cudaStreamWaitEvent") {
      cause = named(made) + ", which makes a stream wait, and not the host";
    }
    if (!asks(made)) continue;
    const trace::id stream = call.kernels.front().stream();
    if (made.raw().stream && *made.raw().stream != stream) {
      return named(made) + ", which looks at " + analysis::stream_text(call.seen.trace, *made.raw().stream) +
             "; the work is in " + analysis::stream_text(call.seen.trace, stream);
    }
    if (made.name() == "cudaDeviceSynchronize") {
      return named(made) + ", which waits for every stream, whatever it has to do with the work";
    }
    if (made.name() == "cudaEventSynchronize" && made.raw().operation == 0) {
      cause = named(made) + ", which returned at once: its event had not been recorded";
      continue;
    }
    cause.clear();  // this wait may have made up for what was before it
    if (!made.waits() && is_not_ready(made)) {
      cause = named(made) + ", which asks and does not wait: the answer was \"not ready\"";
    } else if (by_host_clock && made.waits() && reads.size() >= 2 && made.when().begin >= reads.back().at) {
      cause = named(made) + ", which waits when the clock has been read already";
    }
  }
  return cause;
}

/// Whether the number comes from a clock of processor time. Where a wait spins, that shows about the time
/// that passed.
inline bool is_processor_time(const timed_call& call, double reported_ms) {
  const auto& run = call.seen.trace.run();
  const trace::time_ns called = called_at(call);
  bool processor = false, wall = false;
  for (const auto& read : run.clock_reads) {
    if (read.at >= called) (read.clock == trace::clock_kind::cpu_time ? processor : wall) = true;
  }
  if (!wall || !processor || call.seen.integer("runs") > 2) return processor && !wall;
  const auto nearest = analysis::nearest_clock_measurement(run, reported_ms);
  return nearest && nearest->start->clock == trace::clock_kind::cpu_time;
}

/// Fails the check where the number, right as it may look, is not the measurement that the timer is there
/// for.
inline void expect_measured_by(analysis::measurement_kind wanted, const timed_call& call,
                               const analysis::explanation& measured, double reported_ms) {
  const bool by_events = wanted == analysis::measurement_kind::event_pair;
  const bool other_clock = measured.kind != wanted && measured.kind != analysis::measurement_kind::unrelated;
  const bool computed = by_events && measured.kind == analysis::measurement_kind::unrelated;
  const std::string gave = call.timer + " gave " + analysis::milliseconds_text(reported_ms);
  expect(
      !other_clock && !computed,
      gave + (by_events ? ", but no pair of events in its stream measured that"
                        : ", which a pair of events measured; it is asked for the host clock's time"),
      look_at(by_events ? "two events with timing, recorded around the work, and their cudaEventElapsedTime"
                        : "what the host clock shows before the submission and after the wait"),
      call.seen, active(call));
  if (by_events) return;
  expect(!is_processor_time(call, reported_ms),
         gave +
             ", which a clock of processor time measured; it counts the time that the CPU worked, not the "
             "time that passed",
         look_at("which clock it is that is read"), call.seen, active(call));
  if (call.seen.integer("runs") > 2) {  // it may be a mean, or a median
    const auto around = around_several_runs(call);
    expect(around.has_value(),
           gave + ", but no two reads of a clock have a run of the work, behind the first, between them",
           look_at("what the host clock shows before a submission and after the wait"), call.seen,
           active(call));
    expect(!analysis::is_mean_with_the_first(timed_runs(call), reported_ms),
           gave + ", which is the mean of " + std::to_string(call.seen.integer("runs")) +
               " runs, with the first among them",
           look_at("which runs are added up, and by how many the sum is divided"), call.seen, active(call));
    const bool one_of_them = measured.kind == wanted && measured.factor == 1;
    if (one_of_them) expect_known_done(call, *measured.segment);
    if (sleep_of(call) != nullptr) expect_known_done(runs_behind_the_first(call).back(), *around);
    return;
  }
  const double precision_ms = std::max(0.002, reported_ms * 1e-3);  // of clocks and types that will do
  const auto nearest = analysis::nearest_clock_measurement(call.seen.trace.run(), reported_ms);
  expect(nearest && std::abs(nearest->shown_ms() - reported_ms) <= precision_ms,
         gave + (nearest ? ", but between its clock reads (" + analysis::place(nearest->start->stack) +
                               " and " + analysis::place(nearest->stop->stack) + ") passed " +
                               analysis::milliseconds_text(nearest->shown_ms())
                         : ", and read no clock twice"),
         look_at("what is done to the difference of the two clock reads, and in which type"), call.seen,
         active(call));
  expect(nearest->start->at >= called_at(call),
         gave + ", which is the time of an earlier call (" + analysis::place(nearest->start->stack) + ")",
         look_at("what is kept from one call to the next"), call.seen, active(call));
  expect_known_done(call, nearest->when());
}

/// Fails the check where a call of the timer's failed, though it gave a time. What destroys an event has a
/// check of its own, and to ask for the last error is no failure.
inline void expect_no_failed_call(const timed_call& call) {
  const trace::time_ns called = called_at(call);
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    const bool asks = made.name() == "cudaGetLastError" || made.name() == "cudaPeekAtLastError";
    const bool earlier = made.raw().begin < called;  // the timer may have been called before
    if (earlier || !failed(made) || gives_back(made) || asks) continue;
    expect(false,
           call.timer + " gave a time, although its " + named(made) + " " + what_came_of(call.seen, made),
           look_at("what exercise.hpp says of CUDA calls that fail"), call.seen, active(call));
  }
}

/// Fails the check unless the timer gave a time within `accepted`, and measured it with the clock that it is
/// about.
inline void expect_time(const timed_call& call, const range& accepted, analysis::measurement_kind clock,
                        const look_at& usual_hint) {
  const std::string failed = why_no_time(call);
  if (call.seen.integer("has_time") != 1) {
    expect(!failed.empty(),
           call.timer + " gave no time, although the work did not fail, nor did any of its CUDA calls",
           look_at("the way that leads to std::nullopt"), call.seen, active(call));
    expect(false, call.timer + " gave no time for work that did not fail, because of " + failed,
           look_at("what has to be so before that call can succeed"), call.seen, active(call));
  }
  expect_asked(call, clock);
  const reported_number reported = call.seen.any_number("reported_ms").from(call.timer);
  expect(std::isfinite(reported.value()), call.timer + " gave a number that is no time (NaN or infinite)",
         usual_hint, call.seen, active(call));
  const auto measured = analysis::explain_measurement(call.seen.trace, reported.value(), accepted.subject);
  if (accepted.accepts(reported.value())) {
    expect_measured_by(clock, call, measured, reported.value());
    return expect_no_failed_call(call);
  }
  std::string cause = cause_of_wrong_time(call, clock);
  if (!measured.cause.empty()) cause = measured.cause;
  expect(reported, accepted, cause.empty() ? usual_hint : look_at(cause));
}

/// How a timer came to give a time for work that had failed.
inline std::string how_failure_was_missed(const std::string& timer, const returned_run& seen) {
  std::string missed;
  for (const auto& made : seen.trace.calls_in(timer)) {
    if (missed.empty() && failed(made))
      missed = named(made) + " answered " + made.raw().error + ", and it went on";
    const bool of_launches = made.name() == "cudaGetLastError" || made.name() == "cudaPeekAtLastError";
    const bool of_submit = !made.failed() && of_launches && analysis::made_by_student(made.raw().stack);
    if (!missed.empty() && of_submit)
      return missed + "; " + named(made) + " knows nothing of it: submit returns what its launch came to";
  }
  return missed.empty() ? "none of its calls asked how the work had ended" : missed;
}

}  // namespace lab::checks::timing_pitfalls
