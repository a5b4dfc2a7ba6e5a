#include <algorithm>
#include <cmath>

#include "explanation_parts.hpp"

namespace lab::analysis {
namespace {

std::string wrong_stream(const recording& of, const elapsed_time& elapsed, const timed_work& subject) {
  const trace::id of_start = elapsed.start.stream(), of_stop = elapsed.stop.stream();
  const std::string ran =
      subject.name() + " ran on " + stream_text(of, subject.stream()) + at(subject.where());
  if (of_stop != of_start) {
    return "the events were recorded in two streams, " + stream_text(of, of_start) +
           at(elapsed.start.where()) + " and " + stream_text(of, of_stop) + at(elapsed.stop.where()) + "; " +
           ran + ", and only two records in that stream enclose it and nothing else";
  }
  std::string text =
      "the events were recorded on " + stream_text(of, of_start) + at(elapsed.start.where()) + ", but " + ran;
  if (elapsed.covered.empty()) text += ": no work lay between them";
  return text;
}

// The stretch between the records covers the work, and something else with it.
void tell_what_else(const recording& of, const event_measurement& found, const timed_work& subject,
                    sentences& text) {
  const span stretch = found.when();
  const double large_ms = worth_telling * stretch.milliseconds();
  std::vector<work> others;
  for (const work& each : found.elapsed.covered) {
    const bool large = each.when().shared_with(stretch).milliseconds() > large_ms;
    if (large && !subject.includes(each)) others.push_back(each);
  }
  if (!others.empty()) text.add("Between the records the stream also did other work: " + list(others));
  const double idle_ms = stretch.milliseconds() - busy_ms(found.elapsed.covered, stretch);
  if (idle_ms > std::max(large_ms, 0.02)) {
    text.add("For " + milliseconds_text(idle_ms) + " of it the stream had nothing to do, or waited");
    text.add_capitalised(host_costs(of, stretch, found.elapsed.call.raw().thread));
  }
}

void tell_position(const recording& of, const event_measurement& found, const span& submitted,
                   const timed_work& subject, sentences& text) {
  const elapsed_time& elapsed = found.elapsed;
  const bool same_stream = elapsed.stop.stream() == subject.stream();
  if (subject.last_submitted() >= submitted.end && covers_earlier_run(of, found.when(), subject)) {
    text.add("That is an earlier run of " + subject.name() + "; the one to be timed was launched" +
             at(subject.where()) + " after the second event had been recorded");
  } else if (subject.last_submitted() >= submitted.end) {
    text.add("The second event was recorded" + at(elapsed.stop.where()) + " before " + subject.name() +
             " was launched" + at(subject.where()));
  } else if (subject.first_submitted() <= submitted.begin) {
    text.add("The first event was recorded" + at(elapsed.start.where()) + " after " + subject.name() +
             " had been launched" + at(subject.where()));
  } else if (!same_stream && !found.when().covers(subject.when())) {
    text.add_capitalised(wrong_stream(of, elapsed, subject));
  } else {
    text.add_capitalised(subject.share());
    const bool one_stream = elapsed.start.stream() == elapsed.stop.stream();
    if (!same_stream || !one_stream) text.add_capitalised(wrong_stream(of, elapsed, subject));
    tell_what_else(of, found, subject, text);
  }
}

}  // namespace

explanation explain_events(const recording& of, const event_measurement& found,
                           const std::vector<work>& named) {
  const elapsed_time& elapsed = found.elapsed;
  const auto [first, second] = std::minmax(elapsed.start.raw().submitted, elapsed.stop.raw().submitted);
  const span submitted{first, second};
  const std::vector<work> parts = !named.empty() ? named : likely_subject(of, submitted);
  sentences text;
  std::string records = milliseconds_text(std::abs(elapsed.milliseconds)) + " lie between the two records";
  if (!elapsed.start.where().empty()) {
    records += ", at " + elapsed.start.where() + " and " + elapsed.stop.where();
  }
  text.add(records);
  if (elapsed.milliseconds < 0) {
    text.add("The time is negative because the events were given to cudaEventElapsedTime" +
             at(elapsed.call.where()) + " in the wrong order: the start comes first");
  }
  if (!parts.empty()) tell_position(of, found, submitted, timed_work(parts), text);
  text.add_capitalised(factor_text(found.factor, found.whole_milliseconds));
  return {measurement_kind::event_pair,
          found.when(),
          0,
          elapsed.stop.stream(),
          found.factor,
          text.text(),
          cause_of_factor(found.factor, found.whole_milliseconds)};
}

}  // namespace lab::analysis
