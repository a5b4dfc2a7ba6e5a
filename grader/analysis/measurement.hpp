#pragma once

#include <optional>
#include <string>

#include "recording.hpp"

/// Finds the measurement behind a number: which two clock reads, or which pair of events, differ by it.
namespace lab::analysis {

struct clock_measurement {
  const trace::clock_read* start;
  const trace::clock_read* stop;
  double factor;                    ///< the number over their difference in ms
  bool whole_milliseconds = false;  ///< the number is that, without what is behind the point

  span when() const { return {start->at, stop->at}; }
  double shown_ms() const { return static_cast<double>(stop->value - start->value) / 1e6; }
};

struct event_measurement {
  elapsed_time elapsed;
  double factor;
  bool whole_milliseconds = false;

  /// Between the moments that the two records stamped, the earlier first.
  span when() const;
};

std::optional<clock_measurement> find_clock_measurement(const trace::run& run, double reported_ms);
std::optional<event_measurement> find_event_measurement(const recording& of, double reported_ms);

/// The same for a number that something was done to: divided by a count, summed up, cut off to whole
/// milliseconds; or that a clock showed which had not ticked.
std::optional<clock_measurement> find_processed_clock_measurement(const trace::run& run, double reported_ms);
std::optional<event_measurement> find_processed_event_measurement(const recording& of, double reported_ms);

/// The interval between two reads of one clock that comes closest to the number.
std::optional<clock_measurement> nearest_clock_measurement(const trace::run& run, double reported_ms);

/// What is wrong with the number apart from the stretch it is: its unit, its sign, a division. "" where that
/// is right.
std::string factor_text(double factor, bool whole_milliseconds);
/// What to look at for it: "the unit of what is returned".
std::string cause_of_factor(double factor, bool whole_milliseconds);

}  // namespace lab::analysis
