#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/explanation.hpp"
#include "checks/check.hpp"
#include "timed_call.hpp"

/// Judges the time that a timer gave, and finds in the trace what a wrong one came from.
namespace lab::checks::timing_pitfalls {

inline constexpr int not_ready = 600;       // cudaErrorNotReady
inline constexpr int invalid_handle = 400;  // cudaErrorInvalidResourceHandle

/// "cudaEventQuery (student.cu:80)"
inline std::string named(const analysis::call& made) {
  return made.name() + " (" + made.where() + ")";
}

inline bool waits(const analysis::call& made) {
  return made.name().find("Synchronize") != std::string::npos;
}
inline bool asks(const analysis::call& made) {
  return waits(made) || made.name().find("Query") != std::string::npos || made.raw().status == not_ready;
}

/// What the timer's last wait for an event waited for: "; cudaEventSynchronize (student.cu:80) waited for
/// ..."
inline std::string last_event_wait(const timed_call& call, const analysis::call& elapsed) {
  std::string text;
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (made.name() != "cudaEventSynchronize") continue;
    const bool for_start = made.raw().event == elapsed.raw().event;
    text = "; " + named(made) + " waited for the " + (for_start ? "start" : "stop") + " event";
  }
  return text;
}

/// Whether `made` was given a handle that had been destroyed.
inline bool was_given_destroyed_handle(const returned_run& seen, const analysis::call& made) {
  const auto& findings = seen.trace.run().findings;
  return std::any_of(findings.begin(), findings.end(), [&](const trace::finding& found) {
    return found.kind == trace::finding_kind::destroyed_handle && found.call == made.raw().id;
  });
}

/// The timer's first call that failed, and what its answer means; empty where none failed.
inline std::string failed_call(const timed_call& call) {
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (!made.failed()) continue;
    const bool elapsed = made.name() == "cudaEventElapsedTime";
    if (made.raw().status == not_ready) {
      return named(made) +
             ", which answered cudaErrorNotReady: the device had not got that far, and this call does not "
             "wait" +
             (elapsed ? last_event_wait(call, made) : "");
    }
    if (was_given_destroyed_handle(call.seen, made))
      return named(made) + ", which was given an event that had been destroyed";
    if (made.raw().status == invalid_handle && elapsed) {
      return named(made) +
             ", which answered cudaErrorInvalidResourceHandle: an event was never recorded, or was created "
             "without timing";
    }
    return named(made) + ", which failed with error " + std::to_string(made.raw().status);
  }
  return "";
}

/// The student's first sleep, if any.
inline const trace::host_pause* sleep_of(const timed_call& call) {
  for (const auto& pause : call.seen.trace.run().pauses) {
    const bool drivers =
        !pause.stack.empty() && pause.stack.front().file.find("driver.cu") != std::string::npos;
    if (pause.kind == trace::sleep_kind::slept && !drivers) return &pause;
  }
  return nullptr;
}

inline std::string sleep_text(const trace::host_pause& pause) {
  return analysis::milliseconds_text(analysis::span{pause.begin, pause.end}.milliseconds()) + " (" +
         analysis::place(pause.stack) + ")";
}

/// Fails the check where the timer slept and never asked CUDA, after the submission, how far the device had
/// got.
inline void expect_no_hopeful_sleep(const timed_call& call) {
  const auto* slept = sleep_of(call);
  if (slept == nullptr) return;
  const auto submitted = call.kernels.back().submitted_by().when().end;
  const auto calls = call.seen.trace.calls_in(call.timer);
  const bool asked = std::any_of(calls.begin(), calls.end(), [submitted](const analysis::call& made) {
    return asks(made) && made.when().begin >= submitted;
  });
  expect(asked,
         call.timer + " slept for " + sleep_text(*slept) +
             " and never asked whether the work was done; a sleep ends when its time is up, whatever the GPU "
             "does",
         look_at("a call that waits for the work itself"), call.seen,
         analysis::span{call.on_device.begin, std::max(call.on_device.end, slept->end)});
}

/// What in the trace a wrong time comes from, where that is more than the stretch that was measured.
inline std::string cause_of_wrong_time(const timed_call& call) {
  if (const auto* slept = sleep_of(call)) {
    return "the sleep of " + sleep_text(*slept) + ", which ends when its time is up, whatever the GPU does";
  }
  const auto& reads = call.seen.trace.run().clock_reads;
  const auto elapsed = call.seen.trace.calls("cudaEventElapsedTime");
  if (!elapsed.empty() && elapsed.back().failed()) return failed_call(call);
  std::string cause;
  for (const auto& made : call.seen.trace.calls_in(call.timer)) {
    if (!asks(made)) continue;
    const trace::id stream = call.kernels.front().stream();
    if (made.raw().stream && *made.raw().stream != stream) {
      return named(made) + ", which looks at " + analysis::stream_text(*made.raw().stream) +
             "; the work is in " + analysis::stream_text(stream);
    }
    if (made.name() == "cudaDeviceSynchronize") {
      return named(made) + ", which waits for every stream, whatever it has to do with the work";
    }
    cause.clear();  // this wait may have made up for what was before it
    if (!waits(made) && made.raw().status == not_ready) {
      cause = named(made) + ", which asks and does not wait: the answer was \"not ready\"";
    } else if (waits(made) && reads.size() >= 2 && made.when().begin >= reads.back().at) {
      cause = named(made) + ", which waits when the clock has been read already";
    }
  }
  return cause;
}

/// Fails the check where the number, right as it may look, is not the measurement that the timer is there
/// for.
inline void expect_measured_by(analysis::measurement_kind wanted, const timed_call& call,
                               const analysis::explanation& measured, double reported_ms) {
  const bool by_events = wanted == analysis::measurement_kind::event_pair;
  const bool other_clock = measured.kind != wanted && measured.kind != analysis::measurement_kind::unrelated;
  const bool computed = by_events && measured.kind == analysis::measurement_kind::unrelated;
  expect(
      !other_clock && !computed,
      call.timer + " gave " + analysis::milliseconds_text(reported_ms) +
          (by_events ? ", but no pair of events in its stream measured that"
                     : ", which a pair of events measured; it is asked for the host clock's time"),
      look_at(by_events ? "two events with timing, recorded around the work, and their cudaEventElapsedTime"
                        : "what the host clock shows before the submission and after the wait"),
      call.seen, active(call));
}

/// Fails the check unless the timer gave a time within `accepted`, and measured it with the clock that it is
/// about.
inline void expect_time(const timed_call& call, const range& accepted, analysis::measurement_kind clock,
                        const look_at& usual_hint) {
  const std::string failed = failed_call(call);
  expect(call.seen.integer("has_time") == 1,
         call.timer + " gave no time for work that did not fail" +
             (failed.empty() ? ", nor did any of its CUDA calls" : ", because of " + failed),
         look_at("what has to be so before that call can succeed"), call.seen, active(call));
  expect_no_hopeful_sleep(call);
  const reported_number reported = call.seen.any_number("reported_ms").from(call.timer);
  expect(std::isfinite(reported.value()), call.timer + " gave a number that is no time (NaN or infinite)",
         usual_hint, call.seen, active(call));
  const auto measured = analysis::explain_measurement(call.seen.trace, reported.value(), accepted.subject);
  if (accepted.accepts(reported.value())) return expect_measured_by(clock, call, measured, reported.value());
  std::string cause = cause_of_wrong_time(call);
  if (!measured.cause.empty()) cause = measured.cause;
  expect(reported, accepted, cause.empty() ? usual_hint : look_at(cause));
}

}  // namespace lab::checks::timing_pitfalls
