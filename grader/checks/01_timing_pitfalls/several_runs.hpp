#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "timed_call.hpp"

/// What a timer measured that ran its work more than twice: a mean, a median, or one of the runs.
namespace lab::checks::timing_pitfalls {

/// From the last read of a clock before the second run of the work to the last of all; empty where these do
/// not have a run of the work, behind the first, between them.
inline std::optional<analysis::span> around_several_runs(const timed_call& call) {
  const auto runs = runs_behind_the_first(call);
  if (runs.empty()) return std::nullopt;
  const trace::time_ns second = runs.back().kernels.front().submitted_by().when().begin;
  const trace::time_ns called = called_at(call);
  std::optional<analysis::span> around;
  for (const auto& read : call.seen.trace.run().clock_reads) {
    if (read.at < called) continue;
    if (read.at <= second || !around) around = {read.at, read.at};
    around->end = read.at;
  }
  const bool encloses_one = around && std::any_of(runs.begin(), runs.end(), [&](const timed_call& run) {
                              return around->covers(run.on_device());
                            });
  return encloses_one ? around : std::nullopt;
}

/// The clock reads next to a run of the work, where there are both.
struct reads_around_run {
  const trace::clock_read* before;
  const trace::clock_read* behind;

  double told_ms() const { return static_cast<double>(behind->value - before->value) / 1e6; }
};

/// In the order of the runs, the first at the front. Empty where a run has none.
inline std::vector<reads_around_run> reads_around_runs(const timed_call& call) {
  const trace::time_ns called = called_at(call);
  std::vector<const trace::clock_read*> reads;
  for (const auto& read : call.seen.trace.run().clock_reads) {
    if (read.at >= called) reads.push_back(&read);
  }
  const auto kernels = call.seen.trace.kernels(call.kernels.front().name());
  const std::size_t launches = call.kernels.size(),
                    runs = static_cast<std::size_t>(call.seen.integer("runs"));
  std::vector<reads_around_run> found;
  auto before = reads.begin(), behind = reads.begin();
  for (std::size_t run = 0; run < runs && kernels.size() >= runs * launches; ++run) {
    const std::size_t first = kernels.size() - (runs - run) * launches;
    const trace::time_ns launched = kernels[first].submitted_by().when().begin,
                         ended = kernels[first + launches - 1].when().end;
    before = std::find_if(before, reads.end(), [&](const auto* read) { return read->at > launched; });
    behind = std::find_if(behind, reads.end(), [&](const auto* read) { return read->at >= ended; });
    if (before == reads.begin() || behind == reads.end()) return {};
    found.push_back({*std::prev(before), *behind});
  }
  return found;
}

/// Whether the number is a mean of runs of which the first is one: to the digits of a clock, and no mean
/// without it is that too.
inline bool is_mean_with_the_first(const timed_call& call, double reported_ms) {
  const auto runs = reads_around_runs(call);
  const auto is_reported = [&](double sum_ms, std::size_t count) {
    return std::abs(sum_ms / static_cast<double>(count) - reported_ms) <= 1e-5 * reported_ms;
  };
  bool with_first = false, without = false;
  double sum_ms = 0;  // of the runs by themselves
  for (std::size_t last = 0; last < runs.size(); ++last) {
    sum_ms += runs[last].told_ms();
    const std::size_t count = last + 1;
    const double warm_ms = sum_ms - runs.front().told_ms();
    with_first = with_first || (count > 1 && is_reported(sum_ms, count));
    without = without || (count > 1 && is_reported(warm_ms, count - 1));
    for (std::size_t first = 0; first <= last; ++first) {
      const double span_ms = reads_around_run{runs[first].before, runs[last].behind}.told_ms();
      if (!is_reported(span_ms, last - first + 1)) continue;
      (first == 0 && last > 0 ? with_first : without) = true;
    }
  }
  return with_first && !without;
}

}  // namespace lab::checks::timing_pitfalls
