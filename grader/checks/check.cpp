#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <timeline/excerpt.hpp>

#include "session.hpp"
#include "verdict.hpp"

namespace lab::checks {
namespace {

constexpr std::size_t shown_mismatches = 3;

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

std::string sentence(const look_at& hint) {
  return hint.text.empty() ? "" : "Look at " + hint.text + ".";
}

[[noreturn]] void end(outcome what, const std::string& message, const std::string& because,
                      std::optional<timeline::excerpt> picture = {}) {
  throw check_ended{{what, message, because, std::move(picture)}};
}

std::string first_finding(const observation& seen) {
  const auto& findings = seen.trace.run().findings;
  return findings.empty() ? "" : analysis::finding_text(findings.front()) + ".";
}

std::optional<timeline::excerpt> whole_run(const observation& seen) {
  const auto& run = seen.trace.run();
  if (run.calls.empty()) return {};
  // Context creation takes far longer than all else and would leave no room for it.
  const auto& first = run.calls.front();
  const bool dwarfs_the_rest =
      first.end != trace::unfinished && 2 * (first.end - first.begin) > seen.trace.end();
  return timeline::make_excerpt(seen.trace, {dwarfs_the_rest ? first.end : first.begin, seen.trace.end()});
}

// The last lines of what the program printed, for a program that did not come to its end.
std::string last_output(const observation& seen) {
  std::string text = seen.output;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  if (text.empty() || seen.output_bytes > seen.output.size()) return "";
  const std::size_t line = text.rfind('\n');
  text = text.substr(line == std::string::npos ? 0 : line + 1);
  if (text.size() > 200) text = text.substr(0, 200) + "…";
  return text.rfind("lab: ", 0) == 0 ? "" : "The last line it printed: \"" + text + "\".";
}

// The stretch that the number is, with the work that it should be.
std::optional<timeline::excerpt> picture_of(const reported_number& value, const analysis::explanation& why,
                                            const std::optional<analysis::work>& subject) {
  const analysis::recording& trace = value.seen().trace;
  if (!why.segment && !subject) return whole_run(value.seen());
  analysis::span window = why.segment ? *why.segment : subject->when();
  if (subject)
    window = {std::min(window.begin, subject->when().begin), std::max(window.end, subject->when().end)};
  if (!why.segment) return timeline::make_excerpt(trace, window);
  std::string label = analysis::milliseconds_text(why.segment->milliseconds());
  if (why.kind == analysis::measurement_kind::event_pair) {
    label += " on stream " + std::to_string(why.stream);  // as the rows are named
  }
  return timeline::make_excerpt(trace, window, {{*why.segment, label}});
}

template <class T>
void expect_equal(const std::vector<T>& actual, const equals<T>& wanted, const look_at& hint) {
  if (actual.size() != wanted.expected.size()) {
    end(outcome::fail,
        "the result has " + std::to_string(actual.size()) + " elements, expected " +
            std::to_string(wanted.expected.size()),
        sentence(hint));
  }
  std::size_t wrong = 0;
  std::string text;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double is = static_cast<double>(actual[i]), should_be = static_cast<double>(wanted.expected[i]);
    const double tolerance = std::max(wanted.absolute, wanted.relative * std::fabs(should_be));
    if (is == should_be || std::fabs(is - should_be) <= tolerance) continue;  // NaN is in neither
    if (wrong++ < shown_mismatches) {
      text += (text.empty() ? "" : ", ") + std::string("[") + std::to_string(i) + "] is " + number_text(is) +
              ", expected " + number_text(should_be);
    }
  }
  if (wrong == 0) return;
  end(outcome::fail,
      std::to_string(wrong) + " of " + std::to_string(actual.size()) + " elements are wrong: " + text +
          (wrong > shown_mismatches ? ", and so on" : ""),
      sentence(hint));
}

}  // namespace

// ----------------------------------------------------------------------------------------------- runs and
// values

reported_number reported_number::from(const std::string& function) const {
  reported_number result = *this;
  result.subject_ = function;
  return result;
}

bool reported_number::in_milliseconds() const {
  return name_.size() > 3 && name_.compare(name_.size() - 3, 3, "_ms") == 0;
}

reported_number returned_run::any_number(const std::string& name) const {
  return {seen_->values.number(name), name, seen_};
}

reported_number returned_run::number(const std::string& name) const {
  const reported_number result = any_number(name);
  if (std::isfinite(result.value())) return result;
  end(outcome::fail, name + " is " + number_text(result.value()) + ", which is no measured value",
      first_finding(*seen_), whole_run(*seen_));
}

std::int64_t returned_run::integer(const std::string& name) const {
  return seen_->values.integer(name);
}

std::string returned_run::text(const std::string& name) const {
  return seen_->values.text(name);
}

bool returned_run::has(const std::string& name) const {
  return seen_->values.has(name);
}

std::shared_ptr<const observation> observe_any(const std::string& scenario, const input_list& inputs) {
  return current_session().observe(scenario, inputs);
}

returned_run observe(const std::string& scenario, const input_list& inputs) {
  auto seen = observe_any(scenario, inputs);
  if (seen->how != ending::returned) {
    end(outcome::error, seen->sentence(), last_output(*seen), whole_run(*seen));
  }
  if (!seen->has_trace) {
    end(outcome::error,
        "the record of what the program did is missing: the program closed a file descriptor that "
        "it had not opened",
        seen->detail);
  }
  return returned_run(std::move(seen));
}

// ----------------------------------------------------------------------------------------------- inputs

fresh::fresh(std::string_view key) : state_(current_session().seed()) {
  for (const char each : key) state_ = (state_ ^ static_cast<unsigned char>(each)) * 0x100000001b3;  // FNV-1a
  next();
}

std::uint64_t fresh::next() {  // splitmix64
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

double fresh::between(double lowest, double highest) {
  return lowest + (highest - lowest) * static_cast<double>(next() >> 11) * 0x1p-53;
}

std::int64_t fresh::integer(std::int64_t lowest, std::int64_t highest) {
  return lowest + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(highest - lowest + 1));
}

std::vector<float> fresh::floats(std::size_t count, float lowest, float highest) {
  std::vector<float> result(count);
  for (float& each : result) each = static_cast<float>(between(lowest, highest));
  return result;
}

// -----------------------------------------------------------------------------------------------
// expectations

void expect(const reported_number& value, const range& accepted, const look_at& hint) {
  if (accepted.accepts(value.value())) return;
  const std::string who = value.subject().empty() ? value.name() + " is " : value.subject() + "() returned ";
  const std::string shown =
      value.in_milliseconds() ? analysis::milliseconds_text(value.value()) : number_text(value.value());
  const std::string message = who + shown + "; expected " + accepted.description;
  if (!value.in_milliseconds()) end(outcome::fail, message, sentence(hint));
  const auto why = analysis::explain_measurement(value.seen().trace, value.value(), accepted.subject);
  end(outcome::fail, message, joined(joined(why.text, first_finding(value.seen())), sentence(hint)),
      picture_of(value, why, accepted.subject));
}

void expect(bool holds, const std::string& otherwise, const look_at& hint) {
  if (!holds) end(outcome::fail, otherwise, sentence(hint));
}

void expect(bool holds, const std::string& otherwise, const look_at& hint, const returned_run& picture,
            std::optional<analysis::span> window) {
  if (holds) return;
  end(outcome::fail, otherwise, sentence(hint),
      window ? timeline::make_excerpt(picture.trace, *window) : whole_run(picture.raw()));
}

void expect(const std::vector<float>& actual, const equals<float>& wanted, const look_at& hint) {
  expect_equal(actual, wanted, hint);
}

void expect(const std::vector<double>& actual, const equals<double>& wanted, const look_at& hint) {
  expect_equal(actual, wanted, hint);
}

void expect(const std::vector<int>& actual, const equals<int>& wanted, const look_at& hint) {
  expect_equal(actual, wanted, hint);
}

void expect_prediction(const reported_number& predicted, const range& right) {
  if (std::isnan(predicted.value())) {
    end(outcome::fail, predicted.name() + " holds no prediction yet",
        "Write down what you expect, at the top of your file.");
  }
  if (right.accepts(predicted.value())) return;
  const std::string shown = predicted.in_milliseconds() ? analysis::milliseconds_text(predicted.value())
                                                        : number_text(predicted.value());
  end(outcome::fail, "your prediction for " + predicted.name() + ", " + shown + ", is not what happens",
      "Think of when a launch returns and when its kernel ends, then predict again.");
}

void expect_prediction(const std::string& chosen, const std::string& right) {
  if (chosen.empty() || chosen == "?") {
    end(outcome::fail, "this prediction is not made yet",
        "Write down what you expect, at the top of your file.");
  }
  if (chosen != right) end(outcome::fail, "your prediction, " + chosen + ", is not what happens", "");
}

void expect_no_leaks(const returned_run& seen) {
  const auto leaks = seen.trace.leaks();
  if (leaks.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < leaks.size() && i < shown_mismatches; ++i) {
    text += (i == 0 ? "" : ", ") + leaks[i].what +
            (leaks[i].where.empty() ? "" : " created at " + leaks[i].where);
  }
  if (leaks.size() > shown_mismatches)
    text += ", and " + std::to_string(leaks.size() - shown_mismatches) + " more";
  end(outcome::fail, "created and never given back: " + text,
      "Each create needs its destroy, each allocation its free, also on the way out after an error.");
}

void expect_no_findings(const returned_run& seen) {
  if (seen.trace.run().findings.empty()) return;
  end(outcome::fail, analysis::finding_text(seen.trace.run().findings.front()), "", whole_run(seen.raw()));
}

void fail(const std::string& message, const std::string& because) {
  end(outcome::fail, message, because);
}

}  // namespace lab::checks
