#pragma once

#include <optional>
#include <string>

#include "recording.hpp"

/// Which stretch of the timeline a student's number is, told in plain sentences.
namespace lab::analysis {

enum class measurement_kind {
  host_clock,  ///< the difference of two clock reads
  event_pair,  ///< what a cudaEventElapsedTime gave
  unrelated,   ///< nothing that the program measured has that length
};

struct explanation {
  measurement_kind kind = measurement_kind::unrelated;
  /// The stretch measured; for a pair of events, between its records. None where unrelated.
  std::optional<span> segment;
  int thread = 0;        ///< whose clock, for host_clock
  trace::id stream = 0;  ///< whose records, for event_pair
  /// The student's number over the segment's length in ms: 1 when right, 1e3 when in microseconds, -1 when
  /// negated, 0.1 when divided by 10.
  double factor = 1;
  std::string text;  ///< one to three sentences
  /// What to look at, where the number itself tells: its unit, its rounding, the clock. Else "".
  std::string cause;
};

/// @param reported_ms what the student's function said, in milliseconds
/// @param subject the work that should have been timed, by submission; empty where it is not known
explanation explain_measurement(const recording& of, double reported_ms,
                                const std::vector<work>& subject = {});

}  // namespace lab::analysis
