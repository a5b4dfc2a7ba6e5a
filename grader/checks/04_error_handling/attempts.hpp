#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "checks/check.hpp"

/// What the student's code made of a failure, as the driver of lab 04 wrote it down, and what to say of it.
namespace lab::checks::error_handling {

inline const std::string illegal_address = "cudaErrorIllegalAddress";
/// The failure that the driver's own call leaves behind, unread.
inline const std::string ignored = "cudaErrorInvalidValue";

/// "cudaEventQuery (student.cu:80)"
inline std::string named(const analysis::call& made) {
  return made.where().empty() ? made.name() : made.name() + " (" + made.where() + ")";
}

/// How one call of the student's code ended.
struct attempt {
  std::string ended;     ///< "returned", "cuda_failure", "std::invalid_argument", or what else was thrown
  std::string status;    ///< of a cuda_failure; else empty
  std::string suspects;  ///< "load, scale"
  std::string message;
  std::string left;  ///< what cudaGetLastError would have given afterwards

  bool returned() const { return ended == "returned"; }
  bool failed() const { return ended == "cuda_failure"; }

  /// "threw a cuda_failure with cudaErrorLaunchFailure and the suspects load, scale"
  std::string in_words() const {
    if (returned()) return "returned as if all were well";
    if (!failed()) return "threw " + ended + ", \"" + message + "\", not a cuda_failure";
    return "threw a cuda_failure with " + status + " and " +
           (suspects.empty() ? "no suspect" : "the suspects " + suspects);
  }
};

/// The attempt that the driver wrote under names that end in `_at`.
inline attempt read_attempt(const returned_run& seen, const std::string& at) {
  attempt made;
  made.ended = seen.text("ended_" + at);
  made.left = seen.text("left_" + at);
  if (!made.returned()) made.message = seen.text("message_" + at);
  if (!made.failed()) return made;
  made.status = seen.text("status_" + at);
  made.suspects = seen.text("suspects_" + at);
  return made;
}

/// Runs the scenario. Fails the check where `who`, the student's, ended the program.
inline returned_run run(const std::string& scenario, const input_list& inputs, const std::string& who) {
  const auto seen = observe_any(scenario, inputs);
  const auto calls = seen->trace.calls();
  const std::string behind = calls.empty() ? "" : " behind " + named(calls.back());
  if (seen->how == ending::exited_early && !seen->scenario_returned) {
    fail(who + " ended the whole program" + behind + ", with exit code " + std::to_string(seen->exit_code),
         "Look at every exit(): whoever called may know how to go on, and has things of its own to give back.");
  }
  if (seen->how == ending::crashed && seen->signal == SIGABRT) {
    fail(who + " ended the whole program" + behind + ", by abort()",
         "Look at assert and abort, and at what is thrown where nothing may be: an exception that leaves a "
         "destructor ends the program.");
  }
  return observe(scenario, inputs);
}

/// Fails the check where a failure that `who` told is still there for the next one to find.
inline void expect_taken(const std::string& who, const attempt& made) {
  expect(made.left == "cudaSuccess",
         who + " told its failure, and left " + made.left + " in cudaGetLastError all the same",
         look_at("who is blamed for it next: the first that asks cudaGetLastError after a launch"));
}

/// Fails the check where `who` took somebody else's unread failure away.
inline void expect_left_alone(const std::string& who, const attempt& made) {
  expect(made.left == ignored,
         who + " took away " + ignored + ", which an earlier call had left in cudaGetLastError and nobody has read",
         look_at("each cudaGetLastError: it clears what it returns, whoever the error belongs to"));
}

}  // namespace lab::checks::error_handling
