#include "explanation.hpp"

#include "explanation_parts.hpp"

namespace lab::analysis {
namespace {

std::optional<elapsed_time> elapsed_of_nothing(const recording& of) {
  for (const elapsed_time& each : of.elapsed_times()) {
    if (each.milliseconds == 0) return each;
  }
  return {};
}

explanation explain_unrelated(const recording& of, double reported_ms) {
  sentences text;
  const std::size_t reads = of.run().clock_reads.size();
  const std::size_t elapsed = of.elapsed_times().size();
  if (reads < 2 && elapsed == 0) {
    text.add(
        "The program measured nothing: it read no clock twice and got no elapsed time from a pair of events");
  } else if (const auto nothing = elapsed_of_nothing(of); reported_ms == 0 && nothing) {
    text.add("cudaEventElapsedTime" + at(nothing->call.where()) + " gave 0 ms: " +
             (nothing->start.raw().id == nothing->stop.raw().id
                  ? "its start and its stop are the same event"
                  : "the device got to both events at the same moment"));
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

explanation explain_measurement(const recording& of, double reported_ms, const std::vector<work>& subject) {
  const auto events = find_event_measurement(of, reported_ms);
  const auto clock = find_clock_measurement(of.run(), reported_ms);
  // Where both fit, the one that needs no slip to fit.
  if (events && (!clock || events->factor == 1 || clock->factor != 1))
    return explain_events(of, *events, subject);
  if (clock) return explain_clock(of, *clock, subject);
  if (const auto found = find_processed_event_measurement(of, reported_ms)) {
    return explain_events(of, *found, subject);
  }
  if (const auto found = find_processed_clock_measurement(of.run(), reported_ms)) {
    return explain_clock(of, *found, subject);
  }
  return explain_unrelated(of, reported_ms);
}

}  // namespace lab::analysis
