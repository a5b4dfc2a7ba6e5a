#include "mean_of_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace lab::analysis {
namespace {

double ms_of(const timed_run& from, const timed_run& to) {
  return static_cast<double>(to.behind - from.before) / 1e6;
}
double ms_of(const timed_run& run) {
  return ms_of(run, run);
}

}  // namespace

bool is_mean_with_the_first(const std::vector<timed_run>& runs, double ms) {
  const auto longest = std::max_element(
      runs.begin(), runs.end(), [](const timed_run& a, const timed_run& b) { return ms_of(a) < ms_of(b); });
  if (longest != runs.begin()) return false;

  constexpr double digits = 1e-5;
  // Of the many means of many runs, one is near the number by chance; the one that it was is far nearer.
  constexpr double clearly = 10;

  double with_first = std::numeric_limits<double>::infinity(), without = with_first;  // how far away
  const auto compare = [ms](double& nearest, double sum_ms, std::size_t count) {
    if (count > 0) nearest = std::min(nearest, std::abs(sum_ms / static_cast<double>(count) / ms - 1));
  };
  double sum_ms = 0;  // of the runs by themselves
  for (std::size_t last = 0; last < runs.size(); ++last) {
    sum_ms += ms_of(runs[last]);
    compare(last > 0 ? with_first : without, sum_ms, last + 1);
    compare(without, sum_ms - ms_of(runs.front()), last);
    for (std::size_t first = 0; first <= last; ++first) {
      const bool has_first = first == 0 && last > 0;
      compare(has_first ? with_first : without, ms_of(runs[first], runs[last]), last - first + 1);
    }
  }
  return with_first <= digits && with_first * clearly < without;
}

}  // namespace lab::analysis
