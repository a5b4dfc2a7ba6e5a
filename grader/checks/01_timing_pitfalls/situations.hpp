#pragma once

#include <string>

#include "checks/check.hpp"

/// The situations in which lab 01 calls a timer, as the driver's scenario "time" makes them.
///
/// Kernels are named by the driver: `the_work` is what is timed; `earlier_work`, `next_work`,
/// `unrelated_work` and `first_run_only` are around it.
namespace lab::checks::timing_pitfalls {

inline constexpr const char* timers[] = {"host_ms", "host_ms_after", "event_ms", "event_ms_before",
                                         "warm_ms"};

/// Work in front of the timer's, behind it and beside it, and a kernel length that nobody can have written
/// into a file.
inline input_list crowded(const std::string& timer) {
  return {{"kernel_ms", fresh("kernel_ms").between(4, 6)},
          {"earlier_ms", 40.0},
          {"neighbour_ms", 40.0},
          {"unrelated_ms", 200.0},
          {"first_run_ms", timer == "warm_ms" ? 60.0 : 0.0}};
}

/// Calls `timer` in a quiet situation, but for what `particular` says.
inline returned_run call_timer(const std::string& timer, const input_list& particular) {
  input_list situation{
      {"timer", timer},
      {"kernel_ms", 5.0},                // of each launch
      {"launches", 1},                   // that the work makes
      {"stream", "non_blocking"},        // or "blocking", "default"
      {"earlier_ms", 0.0},               // queued in that stream before the call
      {"neighbour_ms", 1.0},             // the previous or next work that the timer submits itself
      {"unrelated_ms", 0.0},             // queued in another stream before the call
      {"other_stream", "non_blocking"},  // what that one is
      {"pause_ms", 0.0},                 // that the host sleeps between the launches of the work
      {"first_run_ms", 0.0},             // how much longer the first run of the work takes
      {"failure", "none"},               // or "rejected", "fault"
      {"failing_run", 1},                // the first run of the work that fails
      {"neighbour_failure", "none"},     // or "rejected"
      {"called_before_ms", 0.0},         // kernel length of a call of the same timer before this one
      {"failure_before", "none"}};       // and how its work failed, "none" or "rejected"
  for (input& usual : situation) {
    for (const input& special : particular) {
      if (special.name == usual.name) usual = special;
    }
  }
  return observe("time", situation);
}

}  // namespace lab::checks::timing_pitfalls
