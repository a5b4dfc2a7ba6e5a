#pragma once

#include <optional>
#include <string>

#include "recording.hpp"

/// Finds the measurement behind a number: which two clock reads, or which pair of events, differ by it.
namespace lab::analysis {

struct clock_measurement {
  const trace::clock_read* start;
  const trace::clock_read* stop;
  double factor;  ///< the number over their difference in ms

  span when() const { return {start->at, stop->at}; }
};

struct event_measurement {
  elapsed_time elapsed;
  double factor;

  /// Between the moments that the two records stamped, the earlier first.
  span when() const;
};

std::optional<clock_measurement> find_clock_measurement(const trace::run& run, double reported_ms);
std::optional<event_measurement> find_event_measurement(const recording& of, double reported_ms);

/// What is wrong with the number apart from the stretch it is: its unit, its sign. "" where that is right.
std::string factor_text(double factor);

}  // namespace lab::analysis
