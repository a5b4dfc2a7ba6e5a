#pragma once

#include <doctest/doctest.h>

#include <analysis/explanation.hpp>
#include <analysis/recording.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers.hpp"
#include "observation.hpp"

/// What a lab's checks (grader/checks/NN_topic/checks.cpp) are written with.
///
///     #include <checks/check.hpp>
///     using namespace lab::checks;
///
///     CHECK_CASE("the prediction for an 80 ms kernel holds", points(1)) {
///       auto seen = observe("predictions");
///       expect_prediction(seen.number("first_timer_ms"), at_most(1));
///     }
///
///     CHECK_CASE("the event timer reports the kernel's time", points(3)) {
///       for (double kernel_ms : {0.02, fresh("kernel_ms").between(4, 6), 80.0}) {
///         auto seen = observe("time_with_events", {{"kernel_ms", kernel_ms}, {"queued_before_ms", 40.0}});
///         expect(seen.number("reported_ms").from("time_with_events"),
///                within(3_percent, event_floor).of(seen.trace.kernel("spin")),
///                look_at("which stream the two events are recorded on"));
///         expect(!seen.trace.called("cudaDeviceSynchronize"), "the timer waited for the whole device",
///                look_at("cudaEventSynchronize, which waits for one event only"));
///         expect(seen.buffer<float>("result"), equals(expected));
///       }
///     }
///
///     CHECK_CASE("nothing is leaked", points(1), needs("the event timer reports the kernel's time")) {
///       expect_no_leaks(observe("time_with_events", {{"kernel_ms", 1.0}}));
///     }
///
/// A check's name is a sentence true of a right solution. It passes when its body comes to the end without a
/// failed expectation. Outcomes: *fail* by an expectation; *error* where the program crashed, hung, threw,
/// left by exit() or could not be judged; *not run* where a check it needs did not pass. doctest's own CHECK
/// and CHECK_MESSAGE may be used too: they fail the check with their text.
namespace lab::checks {

/// Points for passing; 0 where the check only informs.
struct points {
  explicit points(int given) : value(given) {}
  int value;
};

/// The checks, by name and declared earlier, without which this one would say nothing new.
struct needs {
  template <class... Names>
  explicit needs(Names... given) : names{given...} {}
  std::vector<std::string> names;
};

/// What the student should look at next; ends the explanation of a failure.
struct look_at {
  explicit look_at(std::string given) : text(std::move(given)) {}
  std::string text;
};

/// A number that the student's code produced, and the run it comes from.
class reported_number {
 public:
  reported_number(double value, std::string name, std::shared_ptr<const observation> seen)
      : value_(value), name_(std::move(name)), seen_(std::move(seen)) {}

  double value() const { return value_; }
  operator double() const { return value_; }
  /// Names the function that returned it, for messages: "time_with_events() returned 0.006 ms".
  reported_number from(const std::string& function) const;
  const std::string& subject() const { return subject_; }
  const std::string& name() const { return name_; }
  bool in_milliseconds() const;  ///< the name ends in _ms
  const observation& seen() const { return *seen_; }

 private:
  double value_;
  std::string name_;
  std::string subject_;
  std::shared_ptr<const observation> seen_;
};

/// A run that came to its end. A value that is not there, or is NaN or infinite, ends the check with the
/// right outcome.
class returned_run {
 public:
  explicit returned_run(std::shared_ptr<const observation> seen)
      : trace(seen->trace), seen_(std::move(seen)) {}

  reported_number number(const std::string& name) const;
  /// Also NaN and infinities.
  reported_number any_number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  std::string text(const std::string& name) const;
  template <class T>
  std::vector<T> buffer(const std::string& name) const {
    return seen_->values.buffer<T>(name);
  }
  bool has(const std::string& name) const;
  const observation& raw() const { return *seen_; }

  const analysis::recording& trace;

 private:
  std::shared_ptr<const observation> seen_;
};

/// Runs the scenario with these inputs in a fresh process, or finds the run where the same was asked before.
/// Ends the check with *error* unless the scenario returned and the program ended well. Blocks until the
/// program ended.
returned_run observe(const std::string& scenario, const input_list& inputs = {});
/// The same, whichever way the program ended.
std::shared_ptr<const observation> observe_any(const std::string& scenario, const input_list& inputs = {});

/// A source of inputs that differ from submission to submission and repeat with --seed. The key alone picks
/// the values: the same key gives the same ones in every check.
class fresh {
 public:
  explicit fresh(std::string_view key);
  double between(double lowest, double highest);
  std::int64_t integer(std::int64_t lowest, std::int64_t highest);  ///< both included
  std::vector<float> floats(std::size_t count, float lowest, float highest);

 private:
  std::uint64_t next();
  std::uint64_t state_;
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
void expect_prediction(const reported_number& predicted, const range& right);
/// The same for a choice; an empty one, or "?", is one not yet made.
void expect_prediction(const std::string& chosen, const std::string& right);

/// Fails the check where an event, a stream or memory was created and never destroyed, and says where.
void expect_no_leaks(const returned_run& seen);

/// Fails the check where the device found something wrong in the run (an illegal access, a destroyed
/// handle…).
void expect_no_findings(const returned_run& seen);

/// Fails the check at once.
[[noreturn]] void fail(const std::string& message, const std::string& because = "");

}  // namespace lab::checks

#include "check_case.hpp"
