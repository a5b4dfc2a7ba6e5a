#pragma once

#include <analysis/recording.hpp>
#include <optional>
#include <string>
#include <vector>

#include "expectations.hpp"

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

/// Fails the check where the function returned a failure ("status"), though nothing was in its way; says
/// which call failed.
inline void expect_success(const returned_run& seen, const std::string& function, const look_at& hint) {
  const std::string status = seen.text("status");
  expect(status == "cudaSuccess", function + " returned " + status + failure_text(seen), hint);
}

}  // namespace lab::checks
