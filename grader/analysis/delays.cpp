#include "delays.hpp"

#include <algorithm>
#include <optional>

namespace lab::analysis {
namespace {

/// When the device was through with all that lies before `first` in its stream.
trace::time_ns end_of_work_before(const recording& of, const work& first) {
  trace::time_ns end = 0;
  for (const work& each : of.work_on(first.stream())) {
    if (each.ended() && each.raw().submitted < first.raw().submitted) end = std::max(end, each.when().end);
  }
  return end;
}

/// The last moment in `within` at which work of any stream came to its end, or where `within` begins.
trace::time_ns last_end(const recording& of, const span& within) {
  trace::time_ns last = within.begin;
  for (const work& each : of.all_work()) {
    if (each.ended() && within.contains(each.when().end)) last = std::max(last, each.when().end);
  }
  return last;
}

double milliseconds_of(trace::time_ns time) {
  return static_cast<double>(std::max<trace::time_ns>(time, 0)) / 1e6;
}

}  // namespace

span asked_for(const recording& of, const work& first, const work& last) {
  const trace::time_ns begin = std::max(first.submitted_by().when().begin, end_of_work_before(of, first));
  return {std::min(begin, last.when().end), last.when().end};
}

double told_late_ms(const recording& of, const work& last) {
  const auto told = of.told_done(last);
  if (!told || *told <= last.when().end) return 0;
  const span late{last_end(of, {last.when().end, *told}), *told};
  trace::time_ns inside = 0;
  for (const call& made : of.calls()) {
    if (made.raw().id != last.raw().submitted_by && !made.waits_or_asks()) continue;
    const span part = made.when().shared_with(late);
    inside += part.end - part.begin;
  }
  return milliseconds_of(std::min(inside, late.end - late.begin));
}

double recorded_apart_ms(const recording& of, const work& first, const work& last) {
  std::optional<work> start, stop;
  for (const work& each : of.records()) {
    if (each.stream() != first.stream()) continue;
    if (each.raw().submitted < first.raw().submitted) start = each;
    if (!stop && each.raw().submitted > last.raw().submitted) stop = each;
  }
  double apart = 0;
  if (start) {
    apart += start->submitted_by().milliseconds();
    apart += milliseconds_of(first.when().begin - asked_for(of, first, last).begin);
  }
  if (stop) {
    const span recording_it = stop->submitted_by().when();
    apart += recording_it.milliseconds();
    apart += milliseconds_of(last.submitted_by().when().end -
                             std::max(last.when().end, last.submitted_by().when().begin));
    if (const trace::time_ns due = std::max(last.when().end, recording_it.end); stop->when().end > due)
      apart += milliseconds_of(stop->when().end - last_end(of, {due, stop->when().end}));
  }
  return apart;
}

}  // namespace lab::analysis
