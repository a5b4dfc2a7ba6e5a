#pragma once

#include <analysis/recording.hpp>
#include <string>
#include <vector>

/// The intervals that a program measured, as far as its record shows them.
namespace lab::timeline {

struct measured_interval {
  bool by_events = false;
  trace::id lane = 0;  ///< the stream of the second record
  int thread = 0;      ///< that read the clock
  analysis::span when;
  double shown_ms = 0;  ///< what the program was told
  std::string start;    ///< the student's lines
  std::string stop;
  bool two_streams = false;  ///< the records are
};

/// How the pairs of clock reads are picked, for whoever sees them: which of them the program subtracts is not
/// in its record.
inline constexpr char rule_of_clock_pairs[] =
    "A clock bracket leads from one read of a clock to the next read of the same clock by the same thread "
    "further down in the same function; where there are several, another leads from the first to the last.";

/// Pairs of clock reads by that rule.
std::vector<measured_interval> clock_pairs(const trace::run& run);

/// What each successful cudaEventElapsedTime measured.
std::vector<measured_interval> event_pairs(const analysis::recording& of);

}  // namespace lab::timeline
