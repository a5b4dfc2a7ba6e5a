#pragma once

#include <analysis/recording.hpp>
#include <string>
#include <vector>

/// What a number is expected to be: `within(3_percent, event_floor).of(kernel)`, `between(0, 1)`,
/// `at_most(2)`.
namespace lab::checks {

struct percent {
  double value;
};
struct milliseconds {
  double value;
};

inline namespace literals {
constexpr percent operator""_percent(unsigned long long value) {
  return {static_cast<double>(value)};
}
constexpr percent operator""_percent(long double value) {
  return {static_cast<double>(value)};
}
constexpr milliseconds operator""_ms(unsigned long long value) {
  return {static_cast<double>(value)};
}
constexpr milliseconds operator""_ms(long double value) {
  return {static_cast<double>(value)};
}
constexpr milliseconds operator""_us(unsigned long long value) {
  return {static_cast<double>(value) / 1e3};
}
constexpr milliseconds operator""_us(long double value) {
  return {static_cast<double>(value) / 1e3};
}
}  // namespace literals

/// What an event pair around one lone kernel adds to it: 4 to 6 µs on an H200, with room for a slower card.
inline constexpr milliseconds event_floor{0.010};
/// What a host clock around launch and wait adds: about 9 µs on an H200 where the thread spins, some 30 µs
/// where it sleeps and has to be woken (cudaEventBlockingSync), with room for a slower machine.
inline constexpr milliseconds host_floor{0.045};

/// An accepted range of numbers, and how to say it. NaN is in no range.
struct range {
  double lowest;
  double highest;
  std::string description;              ///< "5.02 ms, the time of spin (accepted: 4.87 ms to 5.18 ms)"
  std::vector<analysis::work> subject;  ///< the work whose time is expected, where it is that

  /// The same, with `what` is expected, of which work, and what is accepted, in words.
  range spelt_out(const std::string& what, const std::vector<analysis::work>& of) const;
  bool accepts(double value) const { return lowest <= value && value <= highest; }
};

/// A tolerance on its way to a range. The floor widens upwards only: measuring adds time, it removes none.
class within {
 public:
  explicit within(percent relative, milliseconds floor = {0}) : relative_(relative), floor_(floor) {}

  range of(double expected) const;                ///< a plain number, or milliseconds
  range of(const analysis::work& subject) const;  ///< the time that the device took for it

 private:
  percent relative_;
  milliseconds floor_;
};

/// What a right pair of events around the kernels gives, in milliseconds. A stream that has run dry waits,
/// between the start record and the first kernel, for the host to launch it: that much a right pair measures
/// too.
range between_events(const analysis::recording& of, const std::vector<analysis::work>& kernels);

range between(double lowest, double highest);
range at_most(double highest);
range at_least(double lowest);
range exactly(double value);

}  // namespace lab::checks
