#include "matchers.hpp"

#include <analysis/delays.hpp>
#include <cmath>
#include <cstdio>
#include <limits>

namespace lab::checks {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string plain(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

}  // namespace

range within::of(double expected) const {
  const double slack = std::fabs(expected) * relative_.value / 100;
  range result{expected - slack, expected + slack + floor_.value, "", {}};
  result.description =
      plain(expected) + " (accepted: " + plain(result.lowest) + " to " + plain(result.highest) + ")";
  return result;
}

range range::spelt_out(const std::string& what, const std::vector<analysis::work>& of) const {
  const std::string accepted =
      analysis::milliseconds_text(lowest) + " to " + analysis::milliseconds_text(highest);
  return {lowest, highest, what + " (accepted: " + accepted + ")", of};
}

range within::of(const analysis::work& subject) const {
  const double ms = subject.milliseconds();
  const std::string what = analysis::milliseconds_text(ms) + ", the time that " + subject.name() + " took";
  return of(ms).spelt_out(what, {subject});
}

range between_events(const analysis::recording& of, const std::vector<analysis::work>& kernels) {
  const analysis::work &first = kernels.front(), &last = kernels.back();
  const double ms = analysis::span{first.when().begin, last.when().end}.milliseconds();
  range accepted = within(3_percent, event_floor).of(ms);
  accepted.highest += recorded_apart_ms(of, first, last);
  return accepted.spelt_out(analysis::milliseconds_text(ms) + ", which the device took for the work",
                            kernels);
}

range between(double lowest, double highest) {
  return {lowest, highest, "a number from " + plain(lowest) + " to " + plain(highest), {}};
}

range at_most(double highest) {
  return {-infinity, highest, "at most " + plain(highest), {}};
}

range at_least(double lowest) {
  return {lowest, infinity, "at least " + plain(lowest), {}};
}

range exactly(double value) {
  return {value, value, plain(value), {}};
}

}  // namespace lab::checks
