#include "matchers.hpp"

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

range within::of(const analysis::work& subject) const {
  range result = of(subject.milliseconds());
  result.description = analysis::milliseconds_text(subject.milliseconds()) + ", the time that " +
                       subject.name() + " took (accepted: " + analysis::milliseconds_text(result.lowest) +
                       " to " + analysis::milliseconds_text(result.highest) + ")";
  result.subject = {subject};
  return result;
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
