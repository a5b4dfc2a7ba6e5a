#pragma once

#include <analysis/hazards.hpp>
#include <analysis/recording.hpp>
#include <optional>
#include <string>
#include <vector>

#include "matchers.hpp"
#include "runs.hpp"

/// What checks expect of a run. An expectation that does not hold ends the check: *fail*, with a sentence.
namespace lab::checks {

/// What the student should look at next; ends the explanation of a failure.
struct look_at {
  explicit look_at(std::string given) : text(std::move(given)) {}
  std::string text;
};

/// What a prediction that is not right should be made from.
struct think_of {
  explicit think_of(std::string given) : text(std::move(given)) {}
  std::string text;
};

/// Fails the check unless the number is in the range; explains which stretch of the timeline it is, with a
/// picture.
void expect(const reported_number& value, const range& accepted, const look_at& hint = look_at(""));
/// Fails the check with the sentence unless the condition holds.
void expect(bool holds, const std::string& otherwise, const look_at& hint = look_at(""));
/// The same, with a picture of the run around `window` (the whole run where none is given).
void expect(bool holds, const std::string& otherwise, const look_at& hint, const returned_run& picture,
            std::optional<analysis::span> window = {});

/// What a buffer should hold, each element within `relative` of the expected or `absolute`.
template <class T>
struct equals {
  explicit equals(std::vector<T> given, double relative_tolerance = 0, double absolute_tolerance = 0)
      : expected(std::move(given)), relative(relative_tolerance), absolute(absolute_tolerance) {}
  std::vector<T> expected;
  double relative;
  double absolute;
};
void expect(const std::vector<float>& actual, const equals<float>& wanted, const look_at& hint = look_at(""));
void expect(const std::vector<double>& actual, const equals<double>& wanted,
            const look_at& hint = look_at(""));
void expect(const std::vector<int>& actual, const equals<int>& wanted, const look_at& hint = look_at(""));

/// Fails the check where the prediction is not in the range; a NaN is one not yet made. The message keeps the
/// answer.
void expect_prediction(const reported_number& predicted, const range& right, const think_of& hint);
/// The same for a choice; an empty one, or "?", is one not yet made.
void expect_prediction(const std::string& chosen, const std::string& right);

/// Fails the check where an event, a stream or memory was created and never destroyed, and says where.
void expect_no_leaks(const returned_run& seen);

/// Fails the check where the device found something wrong in the run (an illegal access, a destroyed
/// handle…).
void expect_no_findings(const returned_run& seen);

/// What two uses of the same bytes are not ordered in the run. On a real GPU, those that are certain: of
/// other kernels than the lab's, only the parameters tell there what they may use.
std::vector<analysis::hazard> hazards_in(const returned_run& seen);
/// Fails the check where there are some, or two uses that are ordered only by luck; says which, and what is
/// wrong with the edge between them.
void expect_no_hazards(const returned_run& seen);

/// Ends the check as "not run": something comes first, which `message` tells the student.
[[noreturn]] void postpone(const std::string& message);

/// Fails the check at once.
[[noreturn]] void fail(const std::string& message, const std::string& because = "");
/// The same, because of this hazard, with a picture and, where it changes a value, the schedule in which it
/// does.
[[noreturn]] void fail(const returned_run& seen, const analysis::hazard& found,
                       const std::string& because = "");

}  // namespace lab::checks
