#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/mean_of_runs.hpp"
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

/// By the clock reads next to each run, the first run at the front. Empty where a run has none.
inline std::vector<analysis::timed_run> timed_runs(const timed_call& call) {
  const trace::time_ns called = called_at(call);
  std::vector<const trace::clock_read*> reads;
  for (const auto& read : call.seen.trace.run().clock_reads) {
    if (read.at >= called) reads.push_back(&read);
  }
  const auto kernels = call.seen.trace.kernels(call.kernels.front().name());
  const std::size_t launches = call.kernels.size(),
                    runs = static_cast<std::size_t>(call.seen.integer("runs"));
  std::vector<analysis::timed_run> found;
  auto before = reads.begin(), behind = reads.begin();
  for (std::size_t run = 0; run < runs && kernels.size() >= runs * launches; ++run) {
    const std::size_t first = kernels.size() - (runs - run) * launches;
    const trace::time_ns launched = kernels[first].submitted_by().when().begin,
                         ended = kernels[first + launches - 1].when().end - call.seen.trace.clocks_apart();
    before = std::find_if(before, reads.end(), [&](const auto* read) { return read->at > launched; });
    behind = std::find_if(behind, reads.end(), [&](const auto* read) { return read->at >= ended; });
    if (before == reads.begin() || behind == reads.end()) return {};
    found.push_back({(*std::prev(before))->value, (*behind)->value});
  }
  return found;
}

}  // namespace lab::checks::timing_pitfalls
