#include <algorithm>
#include <cmath>

#include "explanation_parts.hpp"

namespace lab::analysis {
namespace {

constexpr double coarse_ms = 0.002;  // what a clock of whole microseconds is off by is not worth telling

std::string reads_text(const clock_measurement& found) {
  const std::string start = place(found.start->stack), stop = place(found.stop->stack);
  std::string text = milliseconds_text(found.when().milliseconds()) + " passed between the two clock reads";
  if (!start.empty() && !stop.empty()) text += " at " + start + " and " + stop;
  return text;
}

std::string stopped_too_early(const recording& of, const clock_measurement& found,
                              const timed_work& subject) {
  const span stretch = found.when();
  const std::string stop = at(place(found.stop->stack));
  if (subject.last_submitted() > stretch.end) {
    const std::string launched = subject.name() + " was launched" + at(subject.where());
    if (covers_earlier_run(of, stretch, subject)) {
      return reads_text(found) + ": that is an earlier run; the one to be timed, " + launched +
             ", came after it";
    }
    return reads_text(found) + ": the clock was stopped before " + launched;
  }
  const bool begun = subject.when().begin <= stretch.end;
  const std::string state = subject.with_time() + (begun ? " was still running" : " had not begun");
  if (subject.first_submitted() < stretch.begin) return reads_text(found) + ": at the second one " + state;
  const std::string how_long =
      milliseconds_text(stretch.milliseconds()) + " is how long it took to submit the work: ";
  if (stop.empty()) return how_long + "when the clock was read for the second time, " + state;
  return how_long + "the clock was read" + at(place(found.start->stack)) + " and read again" + stop +
         " while " + state;
}

std::string started_too_late(const clock_measurement& found, const timed_work& subject) {
  const bool over = subject.when().end <= found.when().begin;
  return reads_text(found) + ": at the first one " + subject.name() +
         (over ? " had already ended" : " was already running");
}

// Whether `each` kept the timed work, or the host, waiting: not everything that ran meanwhile did.
bool was_in_the_way(const recording& of, const work& each, const timed_work& subject, const span& before_it) {
  if (each.stream() == subject.stream() || each.stream() == trace::legacy_stream ||
      subject.stream() == trace::legacy_stream) {
    return true;
  }
  const auto calls = of.calls();
  return std::any_of(calls.begin(), calls.end(), [&](const call& waiting) {
    return waiting.blocked_ms() > 0 && before_it.contains(waiting.when().begin) &&
           waiting.when().contains(each.when().end);
  });
}

// Whether a call of the host in `after_it` came back only when `each` was done, because it was: it waits for
// its stream.
bool was_waited_for(const recording& of, const work& each, const span& after_it) {
  const auto calls = of.calls();
  return std::any_of(calls.begin(), calls.end(), [&](const call& waiting) {
    const auto stream = of.stream_waited_for(waiting);
    return waiting.blocked_ms() > 0 && after_it.contains(waiting.when().end) &&
           waiting.when().contains(each.when().end) && (!stream || *stream == each.stream());
  });
}

// The stretch covers the work; returns whether other work is in it too.
bool tell_what_else(const recording& of, const clock_measurement& found, const timed_work& subject,
                    sentences& text) {
  const span stretch = found.when();
  const double large_ms = worth_telling * stretch.milliseconds();
  const span before_it{stretch.begin, std::max(stretch.begin, subject.when().begin)};
  const span after_it{std::min(stretch.end, subject.when().end), stretch.end};
  std::vector<work> earlier, later, same;
  bool all_queued = true;
  for (const work& each : of.all_work()) {
    if (!each.began() || subject.includes(each)) continue;
    if (each.name() == subject.name() && stretch.contains(each.raw().submitted) &&
        stretch.covers(each.when())) {
      same.push_back(each);
    } else if (each.when().shared_with(before_it).milliseconds() > large_ms &&
               was_in_the_way(of, each, subject, before_it)) {
      earlier.push_back(each);
      all_queued = all_queued && each.raw().submitted <= stretch.begin;
    } else if (each.when().shared_with(after_it).milliseconds() > large_ms &&
               was_waited_for(of, each, after_it)) {
      later.push_back(each);
    }
  }
  if (!same.empty()) {
    text.add("It holds further runs of " + subject.name() + " too: " + list(same));
  }
  if (!earlier.empty()) {
    const std::string start = at(place(found.start->stack));
    text.add("It includes " + milliseconds_text(busy_ms(earlier, before_it)) + " of " +
             (all_queued ? "work that was queued before the clock was started" + start
                         : std::string("other work before it")) +
             ": " + list(earlier));
  }
  if (after_it.milliseconds() > std::max(large_ms, 0.05)) {
    text.add("After " + subject.name() + " had ended the clock ran on for " +
             milliseconds_text(after_it.milliseconds()) +
             (later.empty() ? "" : ", waiting for other work: " + list(later)));
  }
  text.add_capitalised(host_costs(of, stretch, found.start->thread));
  return !earlier.empty() || !later.empty() || !same.empty();
}

}  // namespace

explanation explain_clock(const recording& of, const clock_measurement& found,
                          const std::vector<work>& named) {
  const span stretch = found.when();
  const std::vector<work> parts = !named.empty() ? named : likely_subject(of, stretch);
  std::string cause = cause_of_factor(found.factor, found.whole_milliseconds);
  sentences text;
  if (parts.empty()) {
    text.add(reads_text(found));
  } else if (const timed_work subject(parts); !subject.ended() || subject.when().end > stretch.end) {
    text.add(stopped_too_early(of, found, subject));
    text.add_capitalised(host_costs(of, stretch, found.start->thread));
  } else if (subject.when().begin < stretch.begin) {
    text.add(started_too_late(found, subject));
  } else {
    text.add(reads_text(found));
    text.add_capitalised(subject.share());
    // A mean of several runs need not be a slip: then what is wrong lies in the stretch.
    if (tell_what_else(of, found, subject, text) && std::abs(found.factor) < 1) cause = "";
  }
  if (found.start->clock == trace::clock_kind::cpu_time) {
    cause = "which clock it is that is read";
    text.add("This clock counts the time that the CPU worked, not the time that passed");
  } else if (std::abs(found.shown_ms() - stretch.milliseconds()) > coarse_ms) {
    cause = "which clock it is that is read";
    text.add("The clock that was read does not tick often enough for this: it showed " +
             milliseconds_text(found.shown_ms()));
  }
  text.add_capitalised(factor_text(found.factor, found.whole_milliseconds));
  return {measurement_kind::host_clock, stretch, found.start->thread, 0, found.factor, text.text(), cause};
}

}  // namespace lab::analysis
