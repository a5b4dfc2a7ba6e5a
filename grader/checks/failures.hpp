#pragma once

#include <algorithm>
#include <analysis/recording.hpp>
#include <optional>
#include <string>
#include <vector>

#include "expectations.hpp"
#include "messages.hpp"

/// What checks say of a call of the student's that failed.
namespace lab::checks {

/// "cudaEventQuery (student.cu:80)"
inline std::string named(const analysis::call& made) {
  return made.where().empty() ? made.name() : made.name() + " (" + made.where() + ")";
}

/// The first of the calls that failed; "not ready" is an answer, no failure.
inline std::optional<analysis::call> first_failed(const std::vector<analysis::call>& calls) {
  for (const analysis::call& made : calls) {
    if (made.failed() && made.raw().error != "cudaErrorNotReady") return made;
  }
  return {};
}

/// The calls that the student's file made, itself or by what it called.
inline std::vector<analysis::call> calls_of_student(const returned_run& seen) {
  std::vector<analysis::call> own;
  for (const analysis::call& made : seen.trace.calls()) {
    if (!made.where().empty()) own.push_back(made);
  }
  return own;
}

/// "; cudaLaunchKernel (student.cu:31) answered cudaErrorInvalidConfiguration", of the student's first call
/// that failed; empty where none did.
inline std::string failure_text(const returned_run& seen) {
  const auto failed = first_failed(calls_of_student(seen));
  return failed ? "; " + named(*failed) + " answered " + failed->raw().error : "";
}

/// The student's calls that could fail, for a check to have each of them do so: of those made at the same
/// place, the first and the last. Not those that give something back, which hinders nobody, nor
/// cudaGetLastError, which tells of other calls. On a real GPU none can be made to.
inline std::vector<analysis::call> calls_that_may_fail(const returned_run& seen) {
  if (seen.on_real_gpu()) return {};
  const auto at_the_same_place = [](const analysis::call& a, const analysis::call& b) {
    const auto &one = a.raw().stack, &other = b.raw().stack;
    return a.name() == b.name() && std::equal(one.begin(), one.end(), other.begin(), other.end(),
                                              [](const auto& frame, const auto& its) {
                                                return frame.file == its.file && frame.line == its.line;
                                              });
  };
  std::vector<std::vector<analysis::call>> places;
  for (const analysis::call& made : calls_of_student(seen)) {
    const auto is = [&](const char* kind) { return made.name().find(kind) != std::string::npos; };
    if (is("Destroy") || is("Free") || is("LastError")) continue;
    const auto place = std::find_if(places.begin(), places.end(), [&](const auto& calls) {
      return at_the_same_place(calls.front(), made);
    });
    if (place == places.end()) {
      places.push_back({made});
    } else {
      place->push_back(made);
    }
  }
  std::vector<analysis::call> found;
  for (const auto& calls : places) {
    found.push_back(calls.front());
    if (calls.size() > 1) found.push_back(calls.back());
  }
  return found;
}

/// Fails the check where a call was given an event or stream that was destroyed, or never created: on a real
/// GPU that may be anything. @param when begins the sentence: "when cudaEventRecord (student.cu:33) had
/// failed, "
inline void expect_good_handles(const returned_run& seen, const std::string& when) {
  for (const trace::finding& found : seen.trace.run().findings) {
    if (found.kind != trace::finding_kind::destroyed_handle) continue;
    expect(
        false, when + finding_text(seen.trace, found),
        look_at("what the handle holds on that way through the function: a create that failed, or was never "
                "reached, sets nothing, so a handle begins as nullptr, and is nullptr again once it is "
                "destroyed"),
        seen);
  }
}

/// Fails the check where something was created and never destroyed, or a handle was none.
inline void expect_all_given_back(const returned_run& seen, const std::string& when) {
  expect_no_leaks(seen);
  expect_good_handles(seen, when);
}

/// The same of the run in which `made` alone fails, which it returns.
inline returned_run expect_all_given_back_after(const returned_run& seen, const analysis::call& made) {
  const returned_run failing = observe_failing(seen, made);
  expect_all_given_back(failing, "when " + named(made) + " had failed, ");
  return failing;
}

/// Fails the check where the function, when `made` alone fails, returns another status ("status"). Returns
/// that run.
inline returned_run expect_failure_returned(const returned_run& seen, const analysis::call& made,
                                            const std::string& function) {
  const returned_run failing = observe_failing(seen, made);
  const std::string status = failing.text("status");
  expect(status == failure_of_a_call,
         function + " returned " + status + ", though " + named(made) + " failed with " + failure_of_a_call +
             ", before anything else did",
         look_at(made.name() == "cudaLaunchKernel"
                     ? "what becomes of the launch's status: <<<...>>> leaves it for cudaGetLastError"
                     : "what becomes of the status of " + named(made)));
  return failing;
}

/// Fails the check where the function returned a failure ("status"), though nothing was in its way; says
/// which call failed, or what the device found wrong.
inline void expect_success(const returned_run& seen, const std::string& function, const look_at& hint) {
  const std::string status = seen.text("status");
  if (status == "cudaSuccess") return;
  for (const trace::finding& found : seen.trace.run().findings) {
    if (found.kind != trace::finding_kind::device_fault) continue;
    fail(function + " returned " + status + ": " + finding_text(seen.trace, found),
         "Look at what that kernel was launched with.");
  }
  fail(function + " returned " + status + failure_text(seen), "Look at " + hint.text + ".");
}

}  // namespace lab::checks
