#include "explanation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measurement.hpp"

namespace lab::analysis {
namespace {

// What is less than this share of the measured stretch is not worth a sentence.
constexpr double worth_telling = 0.02;

std::string at(const std::string& where) {
  return where.empty() ? "" : " (" + where + ")";
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

class sentences {
 public:
  void add(const std::string& text) {
    if (!text.empty()) text_ += (text_.empty() ? "" : " ") + text + ".";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string named(const work& what) {
  return what.name().empty() ? "the work" : what.name();
}

std::string with_time(const work& what) {
  return named(what) + ", " + milliseconds_text(what.milliseconds()) + ",";
}

std::string share_of(const work& what) {
  return "of that, " + named(what) + " took " + milliseconds_text(what.milliseconds());
}

std::optional<work> longest(const std::vector<work>& among) {
  std::optional<work> result;
  for (const work& each : among) {
    if (!result || each.milliseconds() > result->milliseconds()) result = each;
  }
  return result;
}

// Without a word from the check: what was submitted in the stretch, else what ran in it, else the longest
// kernel.
std::optional<work> likely_subject(const recording& of, const span& stretch) {
  std::vector<work> submitted, running;
  for (const work& each : of.all_work()) {
    if (stretch.contains(each.raw().submitted)) submitted.push_back(each);
    if (each.began() && each.when().shared_with(stretch).milliseconds() > 0) running.push_back(each);
  }
  if (!submitted.empty()) return longest(submitted);
  if (!running.empty()) return longest(running);
  return longest(of.kernels());
}

// "first (3 times, 40 ms together) and second (2 ms)", the longest first.
std::string list(const std::vector<work>& items) {
  struct group {
    std::string name;
    double ms = 0;
    int count = 0;
  };
  std::vector<group> groups;
  for (const work& each : items) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const group& other) { return other.name == named(each); });
    if (found == groups.end()) found = groups.insert(found, {named(each)});
    found->ms += each.milliseconds();
    ++found->count;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const group& a, const group& b) { return a.ms > b.ms; });
  std::string text;
  for (std::size_t i = 0; i < groups.size() && i < 2; ++i) {
    const std::string times = groups[i].count == 1 ? "" : std::to_string(groups[i].count) + " times, ";
    text += (i == 0 ? "" : " and ") + groups[i].name + " (" + times + milliseconds_text(groups[i].ms) +
            (times.empty() ? ")" : " together)");
  }
  if (groups.size() > 2) text += " and " + std::to_string(groups.size() - 2) + " more";
  return text;
}

// Device work of `among` under way in `stretch`, merged, in ms.
double busy_ms(const std::vector<work>& among, const span& stretch) {
  std::vector<span> parts;
  for (const work& each : among) {
    if (each.began()) parts.push_back(each.when().shared_with(stretch));
  }
  std::sort(parts.begin(), parts.end(), [](const span& a, const span& b) { return a.begin < b.begin; });
  double total = 0;
  trace::time_ns reached = stretch.begin;
  for (const span& part : parts) {
    total += span{std::max(part.begin, reached), std::max(part.end, reached)}.milliseconds();
    reached = std::max(reached, part.end);
  }
  return total;
}

// Why a call took the host so long, where it is that the call was the first of its kind.
std::string first_use(const recording& of, const call& slow, double own_ms) {
  const double context_creation_ms = 20;  // at least, on any machine
  if (own_ms > context_creation_ms) return ", where the first call of all creates the context";
  for (const work& each : of.kernels()) {
    if (each.raw().submitted_by != slow.raw().id) continue;
    const bool first = &of.kernels(each.name()).front().raw() == &each.raw();
    if (first) return ", which loads " + each.name() + " at its first launch";
  }
  return "";
}

// Calls and pauses in which the host itself spent a large part of the stretch: first use, allocation, sleep.
std::string host_costs(const recording& of, const span& stretch, int thread) {
  const double large_ms = std::max(worth_telling * stretch.milliseconds(), 0.02);
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "it includes " : " and ") + item; };
  for (const auto& pause : of.run().pauses) {
    const span part = span{pause.begin, pause.end}.shared_with(stretch);
    if (pause.thread == thread && pause.kind == trace::sleep_kind::slept && part.milliseconds() > large_ms) {
      add("a sleep of " + milliseconds_text(part.milliseconds()) + at(place(pause.stack)));
    }
  }
  for (const call& each : of.calls()) {
    const double own_ms = each.when().shared_with(stretch).milliseconds() - each.blocked_ms();
    if (each.raw().thread != thread || own_ms <= large_ms) continue;
    add(milliseconds_text(own_ms) + " in " + each.name() + at(each.where()) + first_use(of, each, own_ms));
  }
  return text;
}

// ------------------------------------------------------------------------------------------- a host clock

std::string reads_text(const clock_measurement& found) {
  const std::string start = place(found.start->stack), stop = place(found.stop->stack);
  std::string text = milliseconds_text(found.when().milliseconds()) + " passed between the two clock reads";
  if (!start.empty() && !stop.empty()) text += " at " + start + " and " + stop;
  return text;
}

std::string stopped_too_early(const clock_measurement& found, const work& subject) {
  const span stretch = found.when();
  const std::string stop = at(place(found.stop->stack));
  if (subject.raw().submitted > stretch.end) {
    return reads_text(found) + ": the clock was stopped before " + named(subject) + " was launched" +
           at(subject.where());
  }
  const bool begun = subject.began() && subject.raw().begin <= stretch.end;
  const std::string state = with_time(subject) + (begun ? " was still running" : " had not begun");
  if (subject.raw().submitted < stretch.begin) {
    return reads_text(found) + ": at the second one " + state;
  }
  return milliseconds_text(stretch.milliseconds()) + " is how long it took to submit the work: " +
         (stop.empty()
              ? "when the clock was read for the second time, "
              : "the clock was read" + at(place(found.start->stack)) + " and read again" + stop + " while ") +
         state;
}

std::string started_too_late(const clock_measurement& found, const work& subject) {
  const bool over = subject.when().end <= found.when().begin;
  return reads_text(found) + ": at the first one " + named(subject) +
         (over ? " had already ended" : " was already running");
}

// The stretch covers the work, and something else with it.
void tell_what_else(const recording& of, const clock_measurement& found, const work& subject,
                    sentences& text) {
  const span stretch = found.when();
  const double large_ms = worth_telling * stretch.milliseconds();
  std::vector<work> earlier, later;
  const span before_it{stretch.begin, std::max(stretch.begin, subject.when().begin)};
  const span after_it{std::min(stretch.end, subject.when().end), stretch.end};
  for (const work& each : of.all_work()) {
    if (!each.began() || each.raw().id == subject.raw().id) continue;
    if (each.when().shared_with(before_it).milliseconds() > large_ms) earlier.push_back(each);
    if (each.when().shared_with(after_it).milliseconds() > large_ms) later.push_back(each);
  }
  const bool queued = !earlier.empty() && std::all_of(earlier.begin(), earlier.end(), [&](const work& each) {
    return each.raw().submitted <= stretch.begin;
  });
  if (!earlier.empty()) {
    text.add("It includes " + milliseconds_text(busy_ms(earlier, before_it)) + " of " +
             (queued ? "work that was queued before the clock was started" + at(place(found.start->stack))
                     : "other work before it") +
             ": " + list(earlier));
  }
  if (!later.empty()) {
    text.add("After " + named(subject) + " had ended the clock ran on for " +
             milliseconds_text(after_it.milliseconds()) + ", waiting for other work: " + list(later));
  }
  text.add(capitalised(host_costs(of, stretch, found.start->thread)));
}

explanation explain_clock(const recording& of, const clock_measurement& found, std::optional<work> subject) {
  const span stretch = found.when();
  if (!subject) subject = likely_subject(of, stretch);
  sentences text;
  if (subject && (!subject->ended() || subject->when().end > stretch.end)) {
    text.add(stopped_too_early(found, *subject));
    text.add(capitalised(host_costs(of, stretch, found.start->thread)));
  } else if (subject && subject->when().begin < stretch.begin) {
    text.add(started_too_late(found, *subject));
  } else {
    text.add(reads_text(found));
    if (subject) text.add(capitalised(share_of(*subject)));
    if (subject) tell_what_else(of, found, *subject, text);
  }
  if (found.start->clock == trace::clock_kind::cpu_time) {
    text.add("This clock counts the time that the CPU worked, not the time that passed");
  }
  text.add(capitalised(factor_text(found.factor)));
  return {measurement_kind::host_clock, stretch, found.start->thread, 0, found.factor, text.text()};
}

// ------------------------------------------------------------------------------------------- a pair of
// events

std::string wrong_stream(const event_measurement& found, const work& subject) {
  const trace::id of_start = found.elapsed.start.stream(), of_stop = found.elapsed.stop.stream();
  std::string text = "the events were recorded on " + stream_text(of_start) + at(found.elapsed.start.where());
  if (of_stop != of_start) text += " and " + stream_text(of_stop) + at(found.elapsed.stop.where());
  text += ", but " + named(subject) + " ran on " + stream_text(subject.stream()) + at(subject.where());
  if (found.elapsed.covered.empty()) text += ": no work lay between them";
  return text;
}

// The stretch between the records covers the work, and something else with it.
void tell_what_else(const recording& of, const event_measurement& found, const work& subject,
                    sentences& text) {
  const span stretch = found.when();
  std::vector<work> others;
  for (const work& each : found.elapsed.covered) {
    const bool large =
        each.when().shared_with(stretch).milliseconds() > worth_telling * stretch.milliseconds();
    if (each.raw().id != subject.raw().id && large) others.push_back(each);
  }
  if (!others.empty()) text.add("Between the records the stream also did other work: " + list(others));
  const double idle_ms = stretch.milliseconds() - busy_ms(found.elapsed.covered, stretch);
  if (idle_ms > std::max(worth_telling * stretch.milliseconds(), 0.02)) {
    text.add("For " + milliseconds_text(idle_ms) + " of it the stream had nothing to do, or waited");
    text.add(capitalised(host_costs(of, stretch, found.elapsed.call.raw().thread)));
  }
}

explanation explain_events(const recording& of, const event_measurement& found, std::optional<work> subject) {
  const span stretch = found.when();
  const elapsed_time& elapsed = found.elapsed;
  const span submitted{std::min(elapsed.start.raw().submitted, elapsed.stop.raw().submitted),
                       std::max(elapsed.start.raw().submitted, elapsed.stop.raw().submitted)};
  if (!subject) subject = likely_subject(of, submitted);
  sentences text;
  text.add(milliseconds_text(stretch.milliseconds()) + " lie between the two records" +
           (elapsed.start.where().empty()
                ? ""
                : ", at " + elapsed.start.where() + " and " + elapsed.stop.where()));
  if (elapsed.milliseconds < 0) {
    text.add("The time is negative because the events were given to cudaEventElapsedTime" +
             at(elapsed.call.where()) + " in the wrong order: the start comes first");
  }
  if (subject) {
    const bool same_stream = elapsed.stop.stream() == subject->stream();
    if (subject->raw().submitted >= submitted.end) {
      text.add("The second event was recorded" + at(elapsed.stop.where()) + " before " + named(*subject) +
               " was launched" + at(subject->where()));
    } else if (subject->raw().submitted <= submitted.begin) {
      text.add("The first event was recorded" + at(elapsed.start.where()) + " after " + named(*subject) +
               " had been launched" + at(subject->where()));
    } else if (!same_stream && !stretch.covers(subject->when())) {
      text.add(capitalised(wrong_stream(found, *subject)));
    } else {
      text.add(capitalised(share_of(*subject)));
      if (!same_stream || elapsed.start.stream() != elapsed.stop.stream()) {
        text.add(capitalised(wrong_stream(found, *subject)));
      }
      tell_what_else(of, found, *subject, text);
    }
  }
  text.add(capitalised(factor_text(found.factor)));
  return {measurement_kind::event_pair, stretch, 0, elapsed.stop.stream(), found.factor, text.text()};
}

// ------------------------------------------------------------------------------------------- neither

explanation explain_unrelated(const recording& of, double reported_ms) {
  sentences text;
  const std::size_t reads = of.run().clock_reads.size();
  const std::size_t elapsed = of.elapsed_times().size();
  if (reads < 2 && elapsed == 0) {
    text.add(
        "The program measured nothing: it read no clock twice and got no elapsed time from a pair of events");
  } else if (reported_ms == 0) {
    text.add("Nothing takes 0 ms: this is what a variable holds that no measurement wrote to");
  } else {
    text.add(milliseconds_text(reported_ms) + " is not the time between any two of its " +
             std::to_string(reads) + " clock reads, nor one of the " + std::to_string(elapsed) +
             " elapsed times it got from events");
  }
  for (const call& each : of.calls("cudaEventElapsedTime")) {
    if (!each.failed()) continue;
    text.add("cudaEventElapsedTime failed" + at(each.where()) + " and left its result untouched");
    break;
  }
  explanation result;
  result.text = text.text();
  return result;
}

}  // namespace

explanation explain_measurement(const recording& of, double reported_ms, std::optional<work> subject) {
  const auto events = find_event_measurement(of, reported_ms);
  const auto clock = find_clock_measurement(of.run(), reported_ms);
  // Where both fit, the one that needs no slip to fit.
  if (events && (!clock || events->factor == 1 || clock->factor != 1))
    return explain_events(of, *events, subject);
  if (clock) return explain_clock(of, *clock, subject);
  return explain_unrelated(of, reported_ms);
}

}  // namespace lab::analysis
