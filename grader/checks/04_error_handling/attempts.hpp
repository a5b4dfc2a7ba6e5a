#pragma once

#include <algorithm>
#include <analysis/delays.hpp>
#include <csignal>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "checks/check.hpp"
#include "checks/failures.hpp"

/// What the student's code made of a failure, as the driver of lab 04 wrote it down, and what to say of it.
namespace lab::checks::error_handling {

inline const std::string illegal_address = "cudaErrorIllegalAddress";
/// The failure that the driver's own call leaves behind, unread.
inline const std::string ignored = "cudaErrorInvalidValue";

/// Whether the driver made the call around an attempt, one in front and one behind it.
inline bool is_mark(const analysis::call& made) {
  return made.name() == "cudaPeekAtLastError" && made.where().empty();
}

/// What the student's code called behind the driver's mark of that number, which counts from 0.
inline std::vector<analysis::call> calls_behind(const returned_run& seen, std::ptrdiff_t mark) {
  std::vector<analysis::call> found;
  std::ptrdiff_t marks = 0;
  for (const auto& made : seen.trace.calls()) {
    if (is_mark(made)) ++marks;
    if (!is_mark(made) && marks == mark + 1) found.push_back(made);
  }
  return found;
}

/// From the driver's mark of that number to the next.
inline analysis::span attempt_behind(const returned_run& seen, std::ptrdiff_t mark) {
  std::vector<analysis::span> marks;
  for (const auto& made : seen.trace.calls()) {
    if (is_mark(made)) marks.push_back(made.when());
  }
  const auto at = static_cast<std::size_t>(mark);
  return at + 1 < marks.size() ? analysis::span{marks[at].end, marks[at + 1].begin} : analysis::span{};
}

/// "; cudaEventQuery (student.cu:80) had answered cudaErrorIllegalAddress", of the first of the calls that
/// failed; empty where none did.
inline std::string first_failure(const std::vector<analysis::call>& calls) {
  const auto failed = first_failed(calls);
  return failed ? "; " + named(*failed) + " had answered " + failed->raw().error : "";
}

/// "no suspect", "the suspect load", "the suspects load, scale"
inline std::string suspects_text(const std::string& suspects) {
  if (suspects.empty()) return "no suspect";
  return (suspects.find(", ") == std::string::npos ? "the suspect " : "the suspects ") + suspects;
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
    if (!failed())
      return "threw " + ended + (message.empty() ? "" : ", \"" + message + "\"") + ", not a cuda_failure";
    return "threw a cuda_failure with " + status + " and " + suspects_text(suspects);
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
         "Look at every exit(): whoever called may know how to go on, and has things of its own to give "
         "back.");
  }
  if (seen->how == ending::crashed && seen->signal == SIGABRT) {
    fail(who + " ended the whole program" + behind + ", by abort()",
         "Look at assert and abort, and at what is thrown where nothing may be: an exception that leaves a "
         "destructor ends the program.");
  }
  return observe(scenario, inputs);
}

/// Fails the check where `who` reset the device.
inline void expect_no_reset(const returned_run& seen, const std::string& who) {
  for (const auto& made : seen.trace.calls("cudaDeviceReset")) {
    fail(who + " called " + named(made) + ": it takes everything from everybody, and mends nothing",
         "Look at what exercise.hpp says of resets.");
  }
}

/// Fails the check where `who`, which throws its failures, wrote something in a run in which there were some.
inline void expect_nothing_written(const returned_run& seen, const std::string& who) {
  std::istringstream output(seen.raw().output);
  for (std::string line; std::getline(output, line);) {
    const bool by_the_device = line.rfind("lab: ", 0) == 0;
    expect(by_the_device, who + " wrote \"" + line + "\"",
           look_at("who writes failures, by exercise.hpp: the destructor alone, since it may not throw"));
  }
}

/// Fails the check where `who`, in the attempt behind the mark, came back more than `most_ms` after `due` for
/// no reason that lies in the machine. `after_what` ends the sentence.
inline void expect_prompt(const returned_run& seen, const std::string& who, std::ptrdiff_t mark,
                          trace::time_ns due, double most_ms, const std::string& after_what,
                          const look_at& hint) {
  const analysis::span all = attempt_behind(seen, mark);
  const analysis::span behind{std::max(due, all.begin), std::max(due, all.end)};
  const double took_ms = behind.milliseconds() - analysis::late_ms(seen.trace, behind);
  std::string slept;
  for (const auto& pause : seen.trace.run().pauses) {
    const bool own = pause.kind == trace::pause_kind::slept && analysis::made_by_student(pause.stack);
    if (!own || !all.contains(pause.begin)) continue;
    slept = "; it slept for " +
            analysis::milliseconds_text(analysis::span{pause.begin, pause.end}.milliseconds()) + " (" +
            analysis::place(pause.stack) + ")";
  }
  expect(took_ms <= most_ms,
         who + " came back " + analysis::milliseconds_text(took_ms) + " " + after_what + slept, hint, seen,
         all);
}

/// Fails the check where `who`, in one of `calls`, came back only when somebody else's work had ended.
inline void expect_not_held_up(const returned_run& seen, const std::string& who,
                               const std::vector<analysis::call>& calls) {
  const auto unrelated = seen.trace.kernels("unrelated_work").back();
  for (const auto& made : calls) {
    expect(made.when().end < unrelated.when().end,
           who + " came back only when unrelated_work, in another stream, had ended: " +
               (made.when().begin < unrelated.when().end ? named(made) + " waited for it"
                                                         : "it let the time pass before " + named(made)),
           look_at("what that call waits for, and what is before it"));
  }
}

/// Fails the check where a failure that `who` told, of one of `calls`, is still there for the next one to
/// find.
inline void expect_taken(const std::string& who, const attempt& made,
                         const std::vector<analysis::call>& calls) {
  expect(made.left == "cudaSuccess",
         who + " told its failure, and left " + made.left + " in cudaGetLastError all the same" +
             first_failure(calls),
         look_at("who is blamed for it next: the first that asks cudaGetLastError after a launch"));
}

/// Fails the check where `who`, in one of `calls`, took somebody else's unread failure away.
inline void expect_left_alone(const std::string& who, const attempt& made,
                              const std::vector<analysis::call>& calls) {
  std::string where;
  for (const auto& each : calls) {
    if (each.name() == "cudaGetLastError" && where.empty()) where = ", in " + named(each);
  }
  expect(made.left == ignored,
         who + " took " + ignored + " away" + where + ": an earlier call had left it, and nobody has read it",
         look_at("each cudaGetLastError: it clears what it returns, whoever the error belongs to"));
}

}  // namespace lab::checks::error_handling
