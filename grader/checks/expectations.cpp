#include "expectations.hpp"

#include <algorithm>
#include <analysis/explanation.hpp>
#include <cmath>
#include <timeline/excerpt.hpp>

#include "messages.hpp"
#include "witness.hpp"

namespace lab::checks {
namespace {

constexpr std::size_t shown_mismatches = 3;

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

std::string sentence(const look_at& hint) {
  return hint.text.empty() ? "" : "Look at " + hint.text + ".";
}

// The stretch that the number is, with the work that it should be.
std::optional<timeline::excerpt> picture_of(const reported_number& value, const analysis::explanation& why,
                                            const std::vector<analysis::work>& subject) {
  const analysis::recording& trace = value.seen().trace;
  if (!why.segment && subject.empty()) return whole_run(value.seen());
  analysis::span window = why.segment ? *why.segment : subject.front().when();
  for (const analysis::work& each : subject) {
    window = {std::min(window.begin, each.when().begin), std::max(window.end, each.when().end)};
  }
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
    end_check(outcome::fail,
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
  end_check(outcome::fail,
            std::to_string(wrong) + " of " + std::to_string(actual.size()) + " elements are wrong: " + text +
                (wrong > shown_mismatches ? ", and so on" : ""),
            sentence(hint));
}

}  // namespace

void expect(const reported_number& value, const range& accepted, const look_at& hint) {
  if (accepted.accepts(value.value())) return;
  const std::string who = value.subject().empty() ? value.name() + " is " : value.subject() + "() returned ";
  const std::string shown =
      value.in_milliseconds() ? analysis::milliseconds_text(value.value()) : number_text(value.value());
  const std::string message = who + shown + "; expected " + accepted.description;
  if (!value.in_milliseconds()) end_check(value.seen(), outcome::fail, message, sentence(hint));
  const auto why = analysis::explain_measurement(value.seen().trace, value.value(), accepted.subject);
  end_check(value.seen(), outcome::fail, message,
            joined(joined(why.text, first_finding(value.seen())), sentence(hint)),
            picture_of(value, why, accepted.subject));
}

void expect(bool holds, const std::string& otherwise, const look_at& hint) {
  if (!holds) end_check(outcome::fail, otherwise, sentence(hint));
}

void expect(bool holds, const std::string& otherwise, const look_at& hint, const returned_run& picture,
            std::optional<analysis::span> window) {
  if (holds) return;
  end_check(picture.raw(), outcome::fail, otherwise, sentence(hint),
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

void expect_prediction(const reported_number& predicted, const range& right, const think_of& hint) {
  if (std::isnan(predicted.value())) {
    end_check(outcome::fail, predicted.name() + " holds no prediction yet",
              "Write down what you expect, at the top of your file.");
  }
  if (right.accepts(predicted.value())) return;
  const std::string shown = predicted.in_milliseconds() ? analysis::milliseconds_text(predicted.value())
                                                        : number_text(predicted.value());
  end_check(outcome::fail, "your prediction for " + predicted.name() + ", " + shown + ", is not what happens",
            "Think of " + hint.text + ", then predict again.");
}

void expect_prediction(const std::string& chosen, const std::string& right) {
  if (chosen.empty() || chosen == "?") {
    end_check(outcome::fail, "this prediction is not made yet",
              "Write down what you expect, at the top of your file.");
  }
  if (chosen != right) end_check(outcome::fail, "your prediction, " + chosen + ", is not what happens", "");
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
  end_check(seen.raw(), outcome::fail, "created and never given back: " + text,
            "Each create needs its destroy, each allocation its free, also on the way out after an error.");
}

void expect_no_findings(const returned_run& seen) {
  if (seen.trace.run().findings.empty()) return;
  end_check(seen.raw(), outcome::fail, finding_text(seen.trace, seen.trace.run().findings.front()), "",
            whole_run(seen.raw()));
}

std::vector<analysis::hazard> hazards_in(const returned_run& seen) {
  auto found = analysis::find_hazards(seen.trace);
  found.erase(std::remove_if(found.begin(), found.end(), [](const auto& each) { return !each.is_certain(); }),
              found.end());
  return found;
}

void expect_no_hazards(const returned_run& seen) {
  const auto hazards = hazards_in(seen);
  if (!hazards.empty()) fail(seen, hazards.front());
  if (seen.on_real_gpu()) return;
  constexpr std::size_t most_tried = 2;  // each is a run of the program
  const auto answered = analysis::find_answered(seen.trace);
  for (std::size_t i = 0; i < answered.size() && i < most_tried; ++i) {
    if (!witness(seen.raw(), answered[i]).empty()) fail(seen, answered[i]);
  }
}

void fail(const returned_run& seen, const analysis::hazard& found, const std::string& because) {
  std::optional<analysis::span> window;  // from the first submission of the two to the end of both
  for (const analysis::participant* side : {&found.first, &found.second}) {
    if (side->operation == 0) continue;
    const analysis::work work = seen.trace.work_with_id(side->operation);
    const analysis::span when{work.submitted_by().when().begin, work.when().end};
    if (!window) window = when;
    window = {std::min(window->begin, when.begin), std::max(window->end, when.end)};
  }
  end_check(seen.raw(), outcome::fail, analysis::hazard_text(seen.trace, found),
            joined(witness(seen.raw(), found), because),
            window ? timeline::make_excerpt(seen.trace, *window) : whole_run(seen.raw()));
}

void postpone(const std::string& message) {
  end_check(outcome::not_run, message, "");
}

void fail(const std::string& message, const std::string& because) {
  end_check(outcome::fail, message, because);
}

}  // namespace lab::checks
