#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check_case.hpp"
#include "observation.hpp"
#include "verdict.hpp"

/// The report of a checks program: JSON objects, one a line, each written when it is known.
///
///     {"type":"begin", "lab":"01_timing_pitfalls", "device":null, "seed":7, "checks":[{"name", "points",
///     "hint"}…]}
///     {"type":"device", "name":"emulated T4, virtual time"}           when a run tells, again when one tells
///     another
///     {"type":"waiting", "because":"another grading uses the GPU"}    after a second, and until the next
///     check
///     {"type":"check", "name", "outcome":"pass"|"fail"|"error"|"not run", "points", "max_points", "message",
///      "because", "milliseconds", "timeline":{…}|null,
///      "run":{"scenario", "inputs":{…}, "schedule", "on_gpu":true|false, "trace":its hash}|null}
///                                                                     one per check, in the order of `begin`
///     {"type":"end", "device", "seed", "points", "max_points", "traces":a hash of all that was recorded,
///     "outcomes":{"pass":…, "fail":…, "error":…, "not run":…}}
///
/// A report without its `end`, or with other checks than `begin` lists, is that of a grader that broke off.
namespace lab::checks {

class report {
 public:
  /// @param descriptor where to write; -1 for nowhere
  report(int descriptor, std::string lab, std::uint64_t seed)
      : descriptor_(descriptor), lab_(std::move(lab)), seed_(seed) {}

  void begin(const std::vector<const check*>& checks);
  void observed(const observation& seen);  ///< writes the device's name, where it is new
  void waiting(const std::string& because);
  void finished(const check& which, const verdict& came_to, double milliseconds);
  void end();

 private:
  void write(const std::string& line);

  int descriptor_;
  std::string lab_;
  std::uint64_t seed_;
  std::string device_;
  std::uint64_t traces_ = 0;
  int points_ = 0;
  int max_points_ = 0;
  int counts_[4] = {};
};

}  // namespace lab::checks
